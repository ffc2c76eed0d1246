/**
 * A seeded random source: a function that gives whole numbers from 0 to 2³² − 1. All draws are
 * derived from it; streams.ts has the ways to make one.
 */
export type Words = () => number

/** A number from 0 to below 1. */
export function fraction(words: Words): number {
  return words() / 2 ** 32
}

/** A whole number from 0 to below `limit`. */
export function below(limit: number, words: Words): number {
  return Math.floor(fraction(words) * limit)
}

/** A draw from the normal distribution (Box and Muller). */
export function normal(words: Words): number {
  return Math.sqrt(-2 * Math.log(1 - fraction(words))) * Math.cos(2 * Math.PI * fraction(words))
}

/** Puts the items of an array into a random order (Fisher and Yates), in place. */
export function shuffle<T extends unknown[] | Uint32Array>(items: T, words: Words): T {
  for (let i = items.length - 1; i > 0; i--) {
    const j = below(i + 1, words)
    const item = items[i]!
    items[i] = items[j]!
    items[j] = item
  }
  return items
}
