import type { UpdateRule } from './optimiser.ts'

/** From this length of the average on, the variance of the adaptive rate can be corrected. */
const TRACTABLE = 5

/**
 * Rectified Adam: as long as v is an average over too few steps to be trusted, plain
 * momentum; later Adam's update times a factor that grows to 1.
 */
export const radam: UpdateRule = ({ learningRate, step, beta1, beta2, epsilon }) => {
  const size = learningRate / (1 - beta1 ** step)
  const longest = 2 / (1 - beta2) - 1
  const decay = beta2 ** step
  const length = longest - (2 * step * decay) / (1 - decay)
  if (length <= TRACTABLE) return { size, root: 0, epsilon: 1 }
  const now = (length - 4) * (length - 2) * longest
  const end = (longest - 4) * (longest - 2) * length
  return { size: size * Math.sqrt(now / end) * Math.sqrt(1 - decay), root: 1, epsilon }
}
