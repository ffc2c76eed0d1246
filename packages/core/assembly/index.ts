/** The kernel: docs/method.md sections 1 to 4 over memory that the caller lays out. */
export { gram } from './gram'
export { jaccard } from './jaccard'
export { rank } from './rank'
export { extend, reciprocal } from './reciprocal'
export { blend, cosine, scale } from './similarity'
export { text } from './text'
export { expand, weigh } from './vectors'
export { words } from './words'
