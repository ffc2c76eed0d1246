/**
 * Internal: complete and sparse judgments of WordNet, names and sizes of its files, for Kith's own
 * packages and experiments. They may change with any version; programs use the package's main
 * entry.
 */
export { splits } from './build-wordnet.ts'
export { drawFromRun, drawSparse, sparseDepth } from './draw-sparse.ts'
export { completeQrels, wordnetFiles, writeSparse } from './write-wordnet.ts'
