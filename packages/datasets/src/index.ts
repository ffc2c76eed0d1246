/** Retrieval collections that any machine builds: real text, known relevance. */
export {
  type BuildWordnetOptions,
  buildWordnet,
  type WordnetCollection,
  type WordnetQuery,
} from './build-wordnet.ts'
export { completeQrels } from './complete-qrels.ts'
export type { WordnetDocument } from './documents.ts'
export { drawFromRun, type SparseCounts } from './draw-from-run.ts'
export { type DrawSparseOptions, drawSparse, type SparseDraw, sparseDepth } from './draw-sparse.ts'
export { readNouns } from './read-nouns.ts'
export { type Split, splits } from './splits.ts'
export type { Nouns, Synset } from './synset.ts'
export { wordnetFiles, writeSparse, writeWordnet } from './write-wordnet.ts'
