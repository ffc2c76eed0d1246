import { once } from 'node:events'
import { expect, test } from 'vitest'
import { rerankHits } from '../src/index.ts'

/** Hits of topics around a circle in cosine order, of unit length, and of lengths from 1 to 9. */
const query = [1, 0]
// Uneven steps, so that no two similarities are tied.
const angles = Array.from({ length: 30 }, (_, i) => {
  return (i / 25 + Math.sin(i * i) / 100) * (i % 2 === 0 ? 1 : -1)
})
const unit = angles.map((angle) => ({ vector: [Math.cos(angle), Math.sin(angle)] }))
const long = unit.map(({ vector }, i) => {
  return { vector: vector.map((value) => value * (1 + ((i * 7) % 9))) }
})
const reader = { vector: (hit: { vector: number[] }) => hit.vector }

test('hits in cosine order are not reordered by their lengths, and a warning says why, once', async () => {
  const warnings: Error[] = []
  process.on('warning', (warning) => warnings.push(warning))
  const said = once(process, 'warning')
  const expected = rerankHits(query, unit, reader).map(({ index }) => index)
  expect(rerankHits(query, long, reader).map(({ index }) => index)).toEqual(expected)
  rerankHits(query, long, reader)
  await said
  expect(warnings.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    expect.stringMatching(
      /^KithWarning: vectors differ in length; using metric cosine, which fits the order of the hits better than dot \(100 % of pairs against/,
    ),
  ])
})
