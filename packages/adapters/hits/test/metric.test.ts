import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/**
 * Reranks hits of topics around a circle in cosine order, of unit length, and of lengths from 1 to 9.
 * The warning comes once in a process, so that the program has one of its own.
 */
const program = `
  import { rerankHits } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url))}
  // Uneven steps, so that no two similarities are tied.
  const angles = Array.from({ length: 30 }, (_, i) => {
    return (i / 25 + Math.sin(i * i) / 100) * (i % 2 === 0 ? 1 : -1)
  })
  const unit = angles.map((angle) => ({ vector: [Math.cos(angle), Math.sin(angle)] }))
  const long = unit.map(({ vector }, i) => {
    return { vector: vector.map((value) => value * (1 + ((i * 7) % 9))) }
  })
  const reader = { vector: (hit) => hit.vector }
  const orders = [unit, long, long].map((hits) =>
    rerankHits([1, 0], hits, reader).map(({ index }) => index),
  )
  console.log(JSON.stringify(orders))`

test('does not reorder hits in cosine order by the lengths of their vectors, and warns once', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { encoding: 'utf8' },
  )
  const [unit, long, again] = JSON.parse(stdout)
  expect(unit).toHaveLength(30)
  expect(long).toEqual(unit)
  expect(again).toEqual(unit)
  expect(stderr.match(/KithWarning: .*/g)).toEqual([
    expect.stringMatching(
      /^KithWarning: vectors differ in length; using metric cosine, which fits the order of the hits better than dot \(100 % of pairs against/,
    ),
  ])
})
