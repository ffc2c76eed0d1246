/** Searches documents by a text: a folder of Markdown files, a file of embeddings, or a store. */

export type { Found, Reasons } from './candidates.ts'
export { Collection, type CollectionDocument, type CollectionSearchOptions } from './collection.ts'
export { type CollectionInputs, openCollection } from './open-collection.ts'
