import type { Engine } from '../kernel/engine.ts'
import { ROUNDING } from './mix.ts'

/**
 * The largest difference between entries of S[probe, ·] that rounding alone can make, for each probe:
 * a part of the product of its length with that of the longest candidate, which is 1 for cosines.
 */
export function noiseOf(engine: Engine, probes: readonly number[]): number[] {
  const squares = engine.diagonal()
  let longest = 0
  for (let c = 1; c < squares.length; c++) longest = Math.max(longest, squares[c]!)
  return probes.map((probe) => ROUNDING * Math.sqrt(squares[probe]! * longest))
}
