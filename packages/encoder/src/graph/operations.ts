/** The operations that graphs are built of, each with its gradient rule. */

export {
  add,
  divide,
  multiply,
  positions,
  reshape,
  squareRoot,
  subtract,
  sum,
  toFloat,
  transpose,
} from './arithmetic.ts'
export * from './blocks.ts'
