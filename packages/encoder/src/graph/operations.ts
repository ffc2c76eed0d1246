/** The operations that graphs are built of, each with its gradient rule. */
export * from './activation.ts'
export { add, divide, multiply, squareRoot, subtract, toFloat } from './elementwise.ts'
export * from './gather.ts'
export * from './halves.ts'
export * from './linear.ts'
export * from './normalize.ts'
export { sum } from './reduce.ts'
export { positions, reshape, transpose } from './shape.ts'
