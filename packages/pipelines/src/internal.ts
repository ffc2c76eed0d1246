/** Internal: the identity of files, the counts and the defaults of a training, for the command line. */

export { trainDefaults } from '@kith/train/internal'
export { identityOf, statOf } from './files/file-identity.ts'
export { someMissing } from './train/open-training.ts'
