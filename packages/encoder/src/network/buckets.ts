/** Distances that share a learned number: half of them for each direction. */
export const BUCKETS = 32

/** From this distance on, all are in the last bucket of their direction. */
const FARTHEST = 128

/**
 * The bucket of a distance, as MPNet and T5 have it: small ones have buckets of their own, larger
 * ones share them, in steps that grow with the logarithm.
 */
export function bucketOf(distance: number): number {
  const perSide = BUCKETS / 2
  const exact = perSide / 2
  const side = distance > 0 ? perSide : 0
  const size = Math.abs(distance)
  if (size < exact) return side + size
  const steps = (Math.log(size / exact) / Math.log(FARTHEST / exact)) * (perSide - exact)
  return side + Math.min(perSide - 1, exact + Math.floor(steps))
}
