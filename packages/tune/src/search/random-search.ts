import { hashedWords } from '@kith/base/random'
import { draw, fill } from './space.ts'
import { ROUND, type Suggest } from './suggest.ts'

/** Trials drawn evenly: the beginning of a search, and the baseline that it must beat. */
export const suggestEvenly: Suggest = ({ space, seed, start, round = ROUND }, finished) =>
  Array.from({ length: round }, (_, i) => {
    const trial = finished.length + i
    if (trial === 0) return start
    const words = hashedWords(seed, trial)
    return fill(space, (_, dimension) => draw(dimension, words))
  })
