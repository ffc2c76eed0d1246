/** Internal: the identity of files and the counts of a training, which the command line needs. */

export { identityOf, statOf } from './files/file-identity.ts'
export { someMissing } from './train/open-training.ts'
