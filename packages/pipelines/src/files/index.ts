/** Internal: how the command line compares and shows names of files. */
export { identityOf, statOf } from './file-identity.ts'
export { shownPath } from './shown-path.ts'
