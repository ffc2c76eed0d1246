/**
 * Internal: the one seeded random source, for Kith's own packages. It may change with any version,
 * its streams may not: recorded results depend on them.
 */
import { createHash } from 'node:crypto'
import { KithError } from '@kith/core'

/**
 * The streams of random words. Each has its users, whose recorded results depend on its very words
 * and must be found again: tuned settings and folds (`hashedWords`), the order of a training, its
 * dropout and first weights (`sfcWords`), p values of randomization tests (`mulberryWords`).
 */

/**
 * The tuner's stream: a counter that starts at the seeds, with mixed words. Trial 7 of study 2
 * draws the same words independently of earlier draws, so that a search can be stopped, resumed and divided.
 */
export function hashedWords(...seeds: readonly number[]): Words {
  let state = 0x9e3779b9
  for (const seed of seeds) {
    // Seeds go up to 2 ** 53, words to 2 ** 32.
    state = mixed(state ^ seed)
    state = mixed(state ^ Math.floor(seed / 2 ** 32))
  }
  return counterWords(state, 0x6d2b79f5)
}

/** The words of a counter that starts anywhere, each mixed. The benches' data come from such ones. */
export function counterWords(start: number, step: number): Words {
  let state = start >>> 0
  return () => {
    state = (state + step) >>> 0
    return mixed(state)
  }
}

/** Mixes the bits of a word so that neighboring words give unrelated ones. */
function mixed(word: number): number {
  let bits = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/**
 * Training's stream, with four words of state (sfc32). Step 7 of seed 2 draws the same, whatever was
 * drawn before, so that training can be stopped and resumed.
 */
export function sfcWords(...seeds: readonly number[]): Words {
  let [a, b, c, count] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
  const next = (): number => {
    const sum = (a + b + count) | 0
    count = (count + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (const seed of seeds) {
    a ^= seed | 0
    // Seeds go up to 2 ** 53, words to 2 ** 32.
    b ^= Math.floor(seed / 2 ** 32)
    for (let i = 0; i < 12; i++) next()
  }
  return next
}

/** The randomization test's stream (mulberry32). */
export function mulberryWords(seed: number): Words {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return (word ^ (word >>> 14)) >>> 0
  }
}

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

/**
 * A number from 0 to below 1 that a seed and a name decide. Unlike the numbers of a generator it
 * does not depend on what was drawn before: adding a query changes no other query's draw.
 */
export function seededFraction(seed: number, name: string): number {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new KithError('BAD_SETTING', `seed must be a whole number of at least 0, got ${seed}`)
  }
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() / 2 ** 32
}
