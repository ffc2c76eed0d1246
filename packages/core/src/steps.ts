/**
 * Internal: single steps of a call, which the benchmarks measure one by one. They may change with
 * any version; programs use the package's main entry.
 */
export { contextOf } from './context.ts'
export { available, createEngine } from './kernel/load.ts'
export { mix } from './method/mix.ts'
export { orderByScore } from './method/order-by-score.ts'
export { Postings } from './text/postings.ts'
export { appendText } from './text/prepare-text.ts'
