/** Numbers from 0 to below 1. */
export type Random = () => number

/**
 * A generator that a seed and the numbers of a stream decide: trial 7 of study 2 draws the same
 * whatever was drawn before, so that a search can be stopped, resumed and divided.
 */
export function generator(...seeds: readonly number[]): Random {
  let state = 0x9e3779b9
  for (const seed of seeds) {
    // Seeds go up to 2 ** 53, words to 2 ** 32.
    state = scramble(state ^ seed)
    state = scramble(state ^ Math.floor(seed / 2 ** 32))
  }
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    return scramble(state) / 2 ** 32
  }
}

/** A draw from the normal distribution. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** The items in a random order. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items]
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const item = result[i]!
    result[i] = result[j]!
    result[j] = item
  }
  return result
}

/** Mixes the bits of a word so that neighbouring words give unrelated ones. */
function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
