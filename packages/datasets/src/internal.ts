/**
 * Internal: names and sizes of the files of WordNet, for Kith's own packages. It may change with any
 * version; programs use the package's main entry.
 */
export { splits } from './build-wordnet.ts'
export { drawFromRun, sparseDepth } from './draw-sparse.ts'
export { wordnetFiles } from './write-wordnet.ts'
