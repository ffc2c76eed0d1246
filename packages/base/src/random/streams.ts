import type { Words } from './words.ts'

/**
 * The streams of random words. Each has its users, whose recorded results depend on its very words
 * and must be found again: tuned settings and folds (`hashedWords`), the order of a training, its
 * dropout and first weights (`sfcWords`), p values of randomization tests (`mulberryWords`).
 */

/**
 * The tuner's stream: a counter whose words are mixed, from where the seeds say. Trial 7 of study 2
 * draws the same whatever was drawn before, so that a search can be stopped, resumed and divided.
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
 * Training's stream, of four words of state (sfc32). Step 7 of seed 2 draws the same whatever was
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
