/** Whole numbers from 0 to 2³² − 1. */
export type Words = () => number

/**
 * Random words that seeds decide: step 7 of seed 2 draws the same whatever was drawn
 * before, so that training can be stopped and resumed. Four words of state (sfc32).
 */
export function randomWords(...seeds: readonly number[]): Words {
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

/** The numbers from 0 to below `count` in a random order. */
export function shuffledRange(count: number, words: Words): Uint32Array {
  const order = new Uint32Array(count).map((_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor((words() / 2 ** 32) * (i + 1))
    const item = order[i]!
    order[i] = order[j]!
    order[j] = item
  }
  return order
}
