/** The kernel: docs/method.md sections 1 to 4 over memory that the caller lays out. */
export { gram } from './gram'
export { jaccard, neighbors } from './neighbors'
export { products } from './products'
export { findMatches } from './query-matches'
export { blend, cosine, scale } from './similarity'
export { text } from './text'
export { words } from './words'
export { matchTerms, scoreWords } from './words-score'
