/**
 * Internal: readers of files that a collection keeps or indexes, which tests feed with damaged
 * files, and a collection with any encoder, for benchmarks. It may change with any version.
 */
export { openCollectionWith } from './collection/open-collection.ts'
export { readKept, writeKept } from './collection/passage-vectors.ts'
export { readFolder } from './collection/read-folder.ts'
