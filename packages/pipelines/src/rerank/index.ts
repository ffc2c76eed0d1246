/** Reranks a run, from files or from a store. */
export type { ThenCrossEncode } from './cross-encoding.ts'
export type { RunList } from './list-table.ts'
export type { Measuring, RerankFigures } from './rerank-figures.ts'
export { type RerankInputs, type RerankResult, rerankRun, submitRerank } from './rerank-run.ts'
