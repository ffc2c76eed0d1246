/**
 * Internal: readers of files that a collection keeps or indexes, which tests feed with damaged
 * files. It may change with any version.
 */
export { readKept, writeKept } from './collection/passage-vectors.ts'
export { readFolder } from './collection/read-folder.ts'
