import { counterWords, fraction } from '@kith/base/random'

/**
 * Clustered contexts as retrieval gives them: a query, and candidates around a
 * few centers, the nearer ones first. Seeded, and every one different: repeating
 * one input would hide branch misses.
 */
export function clusteredContext(candidates, dimensions, seed) {
  const random = generator(seed)
  const centers = Array.from({ length: 8 }, () => gaussian(dimensions, random))
  const query = gaussian(dimensions, random)
  const rows = Array.from({ length: candidates }, () => {
    const center = centers[Math.floor(random() * centers.length)]
    const noise = gaussian(dimensions, random)
    return unit(noise.map((value, j) => value + center[j] + 0.7 * query[j]))
  })
  const target = unit(query)
  rows.sort((a, b) => dot(b, target) - dot(a, target))
  return { query: target, candidates: rows }
}

/** Uniform numbers from 0 to 1. */
export function generator(seed) {
  const words = counterWords(seed, 0x9e3779b9)
  return () => fraction(words)
}

/** Sums of uniform numbers: near enough to normal, and quick. */
function gaussian(length, random) {
  return Float32Array.from({ length }, () => random() + random() + random() - 1.5)
}

function unit(vector) {
  const length = Math.sqrt(dot(vector, vector))
  return vector.map((value) => value / length)
}

function dot(a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}
