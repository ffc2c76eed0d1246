/** Searches documents by a text: a folder of Markdown files, a file of embeddings, or a store. */

export type { Found, Reasons } from './candidates.ts'
export { Collection, type CollectionDocument, type CollectionSearchOptions } from './collection.ts'
export { type CollectionInputs, openCollection } from './open-collection.ts'
/** @internal For the tests of damaged files. */
export { readKept, writeKept } from './passage-vectors.ts'
/** @internal For the tests of damaged files. */
export { readFolder } from './read-folder.ts'
