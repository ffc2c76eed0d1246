/** Searches documents by a text: a folder of Markdown files, a file of embeddings, or a store. */
export { Collection, type CollectionDocument, type CollectionSearchOptions } from './collection.ts'
/** @internal For the tests of damaged files. */
export { readKept, writeKept } from './kept-vectors.ts'
export { type CollectionInputs, openCollection } from './open-collection.ts'
export type { Found, Reasons } from './rank-candidates.ts'
/** @internal For the tests of damaged files. */
export { readFolder } from './read-folder.ts'
