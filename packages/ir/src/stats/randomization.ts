import { mulberryWords } from '@kith/base/random'
import { KithError } from '@kith/core'

/**
 * Fisher's randomization test on paired differences: how often the mean is at least as
 * far from 0 when each difference gets a random sign. Exact where few signs matter.
 */
export function randomizationP(
  differences: readonly number[],
  { seed, permutations }: { seed: number; permutations: number },
): number {
  if (!Number.isInteger(permutations) || permutations < 1) {
    throw new KithError('BAD_SETTING', `permutations is ${permutations}, allowed: from 1`)
  }
  // A sign does not change a zero, so that only the others make assignments different.
  const values = differences.filter((value) => value !== 0)
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0))
  // Sums of the same values in other orders differ in the last digits.
  const threshold = observed - 1e-12 * values.reduce((sum, value) => sum + Math.abs(value), 0)
  if (values.length < 31 && 2 ** values.length <= permutations) return exactP(values, threshold)

  const words = mulberryWords(seed)
  let extreme = 0
  for (let i = 0; i < permutations; i++) {
    let sum = 0
    let bits = 0
    for (let j = 0; j < values.length; j++) {
      if (j % 32 === 0) bits = words()
      sum += bits & 1 ? values[j]! : -values[j]!
      bits >>>= 1
    }
    if (Math.abs(sum) >= threshold) extreme++
  }
  // The observed assignment is one of those that chance may give: p is never 0.
  return (extreme + 1) / (permutations + 1)
}

function exactP(values: readonly number[], threshold: number): number {
  const assignments = 2 ** values.length
  let extreme = 0
  for (let bits = 0; bits < assignments; bits++) {
    let sum = 0
    values.forEach((value, j) => {
      sum += (bits >> j) & 1 ? value : -value
    })
    if (Math.abs(sum) >= threshold) extreme++
  }
  return extreme / assignments
}
