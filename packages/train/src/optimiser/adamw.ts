import type { UpdateRule } from './optimiser.ts'

/** Adam with weight decay apart from the gradient: m̂ / (√v̂ + ε). */
export const adamw: UpdateRule = ({ learningRate, step, beta1, beta2, epsilon }) => ({
  size: learningRate / (1 - beta1 ** step),
  root: 1 / Math.sqrt(1 - beta2 ** step),
  epsilon,
})
