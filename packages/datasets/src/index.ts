/** Retrieval datasets that any machine can build, with real texts and known relevance. */
export {
  type BuildWordnetOptions,
  buildWordnet,
  type Split,
  type WordnetCollection,
  type WordnetDocument,
  type WordnetQuery,
} from './build-wordnet.ts'
export type { DrawSparseOptions, SparseCounts, SparseDraw } from './draw-sparse.ts'
export { readNouns } from './read-nouns.ts'
export type { Nouns, Synset } from './synset.ts'
export { writeWordnet } from './write-wordnet.ts'
