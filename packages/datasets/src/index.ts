/** Retrieval collections that any machine builds: real text, known relevance. */
export {
  type BuildWordnetOptions,
  buildWordnet,
  type Split,
  splits,
  type WordnetCollection,
  type WordnetDocument,
  type WordnetQuery,
} from './build-wordnet.ts'
export {
  type DrawSparseOptions,
  drawFromRun,
  drawSparse,
  type SparseCounts,
  type SparseDraw,
  sparseDepth,
} from './draw-sparse.ts'
export { readNouns } from './read-nouns.ts'
export type { Nouns, Synset } from './synset.ts'
export { completeQrels, wordnetFiles, writeSparse, writeWordnet } from './write-wordnet.ts'
