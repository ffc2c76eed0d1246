import { sfcWords } from '@kith/base/random'
import { describe, expect, test } from 'vitest'
import {
  AdapterObjective,
  type AdapterProblem,
  type AdapterQuery,
} from '../src/adapter/adapter-objective.ts'
import { fitAdapter, unitDocuments } from '../src/adapter/fit-adapter.ts'
import type { DocumentVectors } from '../src/data/training-query.ts'

const DIMENSIONS = 6
const words = sfcWords(7)
const numbers = (count: number): Float32Array =>
  Float32Array.from({ length: count }, () => (2 * words()) / 2 ** 32 - 1)

function documentsOf(rows: number): DocumentVectors {
  const data = numbers(rows * DIMENSIONS)
  const row = (at: number) => data.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS)
  return {
    rows,
    dimensions: DIMENSIONS,
    read: (from, to) => data.slice(from * DIMENSIONS, to * DIMENSIONS),
    gather(list, into = new Float32Array(list.length * DIMENSIONS)) {
      for (let i = 0; i < list.length; i++) into.set(row(list[i]!), i * DIMENSIONS)
      return into
    },
  }
}

/** Queries with a part over a list, most with one over the corpus, some with a part over another list. */
function queriesOf(count: number, documents: number): AdapterQuery[] {
  return Array.from({ length: count }, (_, q) => {
    const list = Array.from({ length: 4 + (q % 3) }, (_, i) => (5 * q + 3 * i) % documents)
    const target = { rows: list.slice(0, 2), values: [0.75, 0.25] }
    const one = { rows: [(7 * q) % documents], values: [1] }
    return {
      id: `q${q}`,
      vector: numbers(DIMENSIONS),
      retrieved: list,
      parts: [
        { weight: 0.5, target, over: list },
        ...(q % 4 === 0 ? [] : [{ weight: 0.5, target: one, over: 'corpus' as const }]),
        ...(q % 5 === 0 ? [{ weight: 0.25, target, over: list.slice(0, 3) }] : []),
      ],
    }
  })
}

/** The objective as docs/method.md writes it, in double precision. */
function plainValue({ queries, documents, ...problem }: AdapterProblem, change: Float32Array) {
  const { inverseTemperature, shrinkage } = problem
  let value = (shrinkage / 2) * change.reduce((sum, one) => sum + one * one, 0)
  for (const { vector, parts } of queries) {
    const mapped = Array.from(vector, (one, i) => {
      return vector.reduce((sum, x, j) => sum + x * change[i * DIMENSIONS + j]!, one)
    })
    const length = Math.hypot(...mapped)
    const score = (row: number) => {
      const document = documents.gather([row])
      return inverseTemperature * mapped.reduce((sum, x, i) => sum + (x / length) * document[i]!, 0)
    }
    for (const { weight, target, over } of parts) {
      const rows = over === 'corpus' ? Array.from({ length: documents.rows }, (_, i) => i) : over
      const total = Math.log(Array.from(rows).reduce((sum, row) => sum + Math.exp(score(row)), 0))
      Array.from(target.values).forEach((probability, i) => {
        value += weight * probability * (Math.log(probability) - score(target.rows[i]!) + total)
      })
    }
  }
  return value
}

async function evaluated(problem: AdapterProblem, change: Float32Array, threads = 1) {
  const objective = await AdapterObjective.open(problem, { threads })
  try {
    const gradient = new Float32Array(change.length)
    return { value: await objective.evaluate(change, gradient), gradient }
  } finally {
    await objective.close()
  }
}

const size = DIMENSIONS ** 2
const documents = documentsOf(40)
const problem = {
  documents,
  queries: queriesOf(11, 40),
  inverseTemperature: 8,
  shrinkage: 3,
} satisfies AdapterProblem

describe('AdapterObjective', () => {
  test.each([40, 9000])(
    'computes the plain formula and its gradient (%i documents)',
    async (rows) => {
      const documents = rows === 40 ? problem.documents : documentsOf(rows)
      const own = { ...problem, documents, queries: queriesOf(11, rows) }
      const change = numbers(size).map((one) => one / 4)
      const { value, gradient } = await evaluated(own, change)
      expect(value).toBeCloseTo(plainValue(own, change), 3)
      for (let i = 0; i < size; i += rows === 40 ? 1 : 17) {
        const step = 1e-3
        const moved = (by: number) => {
          const there = change.slice()
          there[i] = there[i]! + by
          return { at: there[i]!, value: plainValue(own, there) }
        }
        const [high, low] = [moved(step), moved(-step)]
        expect(gradient[i]).toBeCloseTo((high.value - low.value) / (high.at - low.at), 2)
      }
    },
  )

  test('does not depend on the lengths of queries', async () => {
    const longer = problem.queries.map((query) => ({
      ...query,
      vector: query.vector.map((one) => 3 * one),
    }))
    const change = numbers(size).map((one) => one / 4)
    const [one, other] = [
      await evaluated(problem, change),
      await evaluated({ ...problem, queries: longer }, change),
    ]
    expect(other.value).toBeCloseTo(one.value, 3)
  })

  test('reads a corpus of several blocks, and queries of several blocks', async () => {
    const many = documentsOf(9000)
    const large = { ...problem, documents: many, queries: queriesOf(530, 9000) }
    const change = numbers(size).map((one) => one / 4)
    const { value } = await evaluated(large, change)
    expect(value / plainValue(large, change)).toBeCloseTo(1, 5)
  })

  test.each([3000, 9000])(
    'computes the same bits for any number of threads (%i documents)',
    async (rows) => {
      const large = { ...problem, documents: documentsOf(rows), queries: queriesOf(530, rows) }
      const change = numbers(size).map((one) => one / 4)
      const [one, two] = [await evaluated(large, change, 1), await evaluated(large, change, 2)]
      expect(two.value).toBe(one.value)
      expect(Array.from(two.gradient)).toEqual(Array.from(one.gradient))
    },
  )

  test('computes nearly the same value from a sample of the corpus, the same each time', async () => {
    const large = { ...problem, documents: documentsOf(5000), queries: queriesOf(60, 5000) }
    const change = new Float32Array(size)
    const exact = await evaluated(large, change)
    const sampled = await evaluated({ ...large, exact: 100 }, change)
    expect(sampled.value).not.toBe(exact.value)
    expect(Math.abs(sampled.value / exact.value - 1)).toBeLessThan(0.02)
    expect((await evaluated({ ...large, exact: 100 }, change)).value).toBe(sampled.value)
  })
})

describe('fitAdapter', () => {
  test('ends at a zero gradient, and nearer to the identity with more shrinkage', async () => {
    const norms = []
    for (const shrinkage of [50, 1000]) {
      const { model } = await fitAdapter({ ...problem, shrinkage, iterations: 200 })
      const change = model.weights.get('up.weight')!
      const { gradient, value } = await evaluated({ ...problem, shrinkage }, change)
      const first = await evaluated({ ...problem, shrinkage }, new Float32Array(size))
      expect(Math.hypot(...gradient)).toBeLessThan(2e-3 * Math.hypot(...first.gradient))
      expect(value).toBeLessThan(first.value)
      norms.push(Math.hypot(...change))
    }
    expect(norms[1]).toBeLessThan(norms[0]! / 5)
  })
})

test('unitDocuments scales rows to length 1, and keeps zeros', () => {
  const data = Float32Array.of(3, 4, 0, 0)
  const documents: DocumentVectors = {
    ...{ rows: 2, dimensions: 2 },
    read: () => data.slice(),
    gather: () => data.slice(),
  }
  expect(Array.from(unitDocuments(documents).read(0, 2))).toEqual([
    Math.fround(0.6),
    Math.fround(0.8),
    0,
    0,
  ])
})
