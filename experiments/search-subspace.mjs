/**
 * Could exact search look at fewer dimensions first? The documents' and queries' principal
 * directions carry most of an inner product, and what the others add is at most the product of
 * the lengths there. Prints what part of all pairs that bound leaves open when the threshold is
 * the score of the top 0.1 % or 0.01 % of the documents.
 *
 *   node experiments/search-subspace.mjs demo-output/wordnet-half
 */
import { join } from 'node:path'
import { openEmbeddings } from '@kith/ir'
import { generator } from '../bench/clusters.mjs'
import { table } from '../bench/measure.mjs'

const QUERIES = 100
const SAMPLE = 4096
const PARTS = [1 / 8, 1 / 4, 1 / 3, 1 / 2, 2 / 3]
const TOPS = [0.001, 0.0001]

const folder = process.argv[2] ?? 'demo-output/wordnet-half'
const documents = await openEmbeddings(join(folder, 'docs.npy'))
const queries = await openEmbeddings(join(folder, 'queries.npy'))
const { dimensions } = documents
const random = generator(1)
// The first queries are searched, the others have a say in the directions.
const others = Array.from({ length: queries.rows - QUERIES }, (_, i) => row(queries, QUERIES + i))
const some = Array.from({ length: SAMPLE }, () =>
  row(documents, Math.floor(random() * documents.rows)),
)
const directions = principal(add(moments(some), moments(others)))
const open = PARTS.map(() => TOPS.map(() => 0))
const coordinates = Array.from({ length: documents.rows }, (_, i) => rotate(row(documents, i)))
for (let q = 0; q < QUERIES; q++) {
  const query = rotate(row(queries, q))
  const scores = Float64Array.from(coordinates, (document) => dot(query, document, dimensions))
  const sorted = scores.toSorted().reverse()
  PARTS.forEach((part, p) => {
    const kept = Math.round(part * dimensions)
    const rest = length(query, kept)
    for (const document of coordinates) {
      const bound = dot(query, document, kept) + rest * length(document, kept)
      TOPS.forEach((top, t) => {
        const threshold = sorted[Math.max(0, Math.round(top * sorted.length) - 1)]
        open[p][t] += Number(bound > threshold)
      })
    }
  })
}
const percent = (count) => `${((100 * count) / QUERIES / documents.rows).toFixed(1)} %`
console.log(
  table([
    ['dimensions', ...TOPS.map((top) => `open at the top ${100 * top} %`)],
    ...PARTS.map((part, p) => [
      `${Math.round(part * dimensions)} of ${dimensions}`,
      ...open[p].map(percent),
    ]),
  ]),
)

function row({ memory }, i) {
  return memory.subarray(i * dimensions, (i + 1) * dimensions)
}

function dot(a, b, end) {
  let sum = 0
  for (let i = 0; i < end; i++) sum += a[i] * b[i]
  return sum
}

/** The length from a coordinate on. */
function length(vector, from) {
  let square = 0
  for (let i = from; i < dimensions; i++) square += vector[i] * vector[i]
  return Math.sqrt(square)
}

function rotate(vector) {
  return Float32Array.from(directions, (direction) => dot(direction, vector, dimensions))
}

/** The mean of all products of two coordinates. */
function moments(vectors) {
  const sums = Array.from({ length: dimensions }, () => new Float64Array(dimensions))
  for (const vector of vectors) {
    for (let i = 0; i < dimensions; i++) {
      const weight = vector[i] / vectors.length
      for (let j = 0; j < dimensions; j++) sums[i][j] += weight * vector[j]
    }
  }
  return sums
}

function add(a, b) {
  return a.map((line, i) => line.map((value, j) => value + b[i][j]))
}

/** Orthonormal directions, largest moments first: a few steps of the power method. */
function principal(matrix) {
  let vectors = Array.from({ length: dimensions }, () =>
    Float64Array.from({ length: dimensions }, () => random() - 0.5),
  )
  for (let step = 0; step < 4; step++) {
    vectors = vectors.map((vector) =>
      Float64Array.from(matrix, (line) => dot(line, vector, dimensions)),
    )
    // Twice, as once leaves errors of rounding if vectors were nearly parallel.
    orthonormalize(vectors)
    orthonormalize(vectors)
  }
  return vectors
}

function orthonormalize(vectors) {
  vectors.forEach((vector, i) => {
    for (let j = 0; j < i; j++) {
      const part = dot(vector, vectors[j], dimensions)
      for (let k = 0; k < dimensions; k++) vector[k] -= part * vectors[j][k]
    }
    const inverse = 1 / length(vector, 0)
    for (let k = 0; k < dimensions; k++) vector[k] *= inverse
  })
}
