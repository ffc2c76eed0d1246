import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  auditCandidates,
  explain,
  neighbors,
  presets,
  rerank,
  similarity,
  smoothLabels,
  TrialContext,
} from '../src/index.ts'
import { resolveSettings } from '../src/settings/settings.ts'
import { allKernels, expectClose, random } from './support.ts'

/** Unit vectors of one topic: a query and candidates that differ in their similarity to it. */
function unitCase(count: number, seed: number): { query: number[]; candidates: number[][] } {
  const next = random(seed)
  const draw = () => normalized(Array.from({ length: 12 }, (_, j) => (j === 0 ? 1 : next() - 0.5)))
  return { query: draw(), candidates: Array.from({ length: count }, draw) }
}

function normalized(vector: readonly number[]): number[] {
  return scaled(vector, 1 / Math.hypot(...vector))
}

function scaled(vector: readonly number[], factor: number): number[] {
  return vector.map((value) => value * factor)
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, j) => sum + value * b[j]!, 0)
}

/** Candidates in the order of a search, with lengths from 0.2 to 5. */
function searched(metric: 'dot' | 'cosine', count: number, seed: number) {
  const { query, candidates } = unitCase(count, seed)
  const next = random(seed + 1)
  const list = candidates.map((unit) => ({ unit, long: scaled(unit, 25 ** next() / 5) }))
  const of = ({ unit, long }: (typeof list)[number]) =>
    product(query, metric === 'dot' ? long : unit)
  list.sort((a, b) => of(b) - of(a))
  return {
    query,
    long: list.map((one) => one.long),
    unit: list.map((one) => one.unit),
    texts: list.map((_, i) => `bee ${i % 7} flower ${i % 3}`),
  }
}

const seeds = fc.integer({ min: 0, max: 1e6 })

describe.each(allKernels)('metric auto on %s', (kernel) => {
  test('ranks vectors of any length in cosine order as unit vectors', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 2, max: 60 }), fc.boolean(), (seed, count, words) => {
        const { query, long, unit, texts } = searched('cosine', count, seed)
        const longQuery = scaled(query, 0.1 + (seed % 100))
        const text = 'bee 3'
        const rank = (vector: number[], vectors: number[][]) =>
          words
            ? rerank({ vector, text }, { vectors, texts }, { kernel, preselect: 40 })
            : rerank(vector, vectors, { kernel })
        const found = rank(longQuery, long)
        const expected = rank(query, unit)
        expect(found.metric).toMatchObject({ name: 'cosine', unit: false })
        expect(found.metric!.agreement!.cosine).toBe(1)
        expectClose(found.scores, expected.scores, 1e-3)
        expect(expected.metric).toEqual({ name: 'dot', unit: true })
      }),
      { numRuns: 30 },
    )
  })

  test('recognizes an order by inner product, and ranks unit vectors bit for bit as dot does', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 8, max: 60 }), (seed, count) => {
        const { query, long, unit } = searched('dot', count, seed)
        const found = rerank(query, long, { kernel })
        const explicit = rerank(query, long, { kernel, metric: 'dot' })
        const { dot, cosine } = found.metric!.agreement!
        expect(dot).toBe(1)
        // Equal only if both metrics have the same order.
        fc.pre(cosine < 1)
        expect(found).toEqual(explicit)
        const plain = rerank(query, unit, { kernel })
        expect(plain).toEqual(rerank(query, unit, { kernel, metric: 'dot' }))
      }),
      { numRuns: 30 },
    )
  })

  test('compares by cosine if the order fits neither metric', () => {
    const { query, long } = searched('dot', 40, 3)
    const swapped = long.map((_, i) => long[i ^ 1]!)
    const found = rerank(query, swapped, { kernel })
    const { dot, cosine } = found.metric!.agreement!
    expect(dot).toBeGreaterThan(cosine)
    expect(dot).toBeLessThan(0.9)
    expect(found).toEqual(rerank(query, swapped, { kernel, metric: 'cosine' }))
  })

  test('uses an explicit metric, and reports the metric that fits the order', () => {
    const { query, long } = searched('cosine', 50, 4)
    for (const metric of ['dot', 'cosine'] as const) {
      const { metric: use } = rerank(query, long, { kernel, metric })
      expect(use!.name).toBe(metric)
      expect(use!.agreement!.cosine).toBe(1)
      expect(use!.agreement!.dot).toBeLessThan(0.9)
    }
  })

  test('compares vectors by cosine if their inner products overflow float32', () => {
    const { query, unit } = searched('cosine', 20, 5)
    const { metric, scores } = rerank(
      query,
      unit.map((one) => scaled(one, 1e25)),
      { kernel },
    )
    expect(metric).toEqual({ name: 'cosine', unit: false })
    expectClose(scores, rerank(query, unit, { kernel }).scores, 1e-3)
  })

  test('chooses in trials as in rerank, for every context size', () => {
    const { query, long, texts } = searched('cosine', 60, 6)
    const views = { vectors: long, texts }
    const trials = new TrialContext({ vector: query, text: 'bee 3' }, views, 60, kernel)
    const plain = new TrialContext(query, long, 60, kernel)
    for (const contextSize of [5, 20, 60]) {
      for (const metric of ['auto', 'dot', 'cosine'] as const) {
        const settings = resolveSettings({ contextSize, metric, preselect: 40 })
        expect(trials.rerank(settings)).toEqual(
          rerank({ vector: query, text: 'bee 3' }, views, { ...settings, kernel }),
        )
        expect(plain.rerank(settings)).toEqual(rerank(query, long, { ...settings, kernel }))
      }
    }
  })
})

test('chooses in labels, audits, neighbors, similarities and explanations as in rankings', () => {
  const { query, long, unit } = searched('cosine', 40, 7)
  const grades = long.map((_, i) => (i === 2 ? 1 : undefined))
  const truth = { candidates: [2] }
  for (const target of ['mixed', 'joint', 'query-centric', 'geometric'] as const) {
    const found = smoothLabels(query, long, truth, { target })
    const expected = smoothLabels(query, unit, truth, { target })
    expectClose(found.evidence, expected.evidence, 1e-3)
  }
  const audited = (vectors: number[][]) =>
    auditCandidates(query, vectors, grades).map(({ candidate }) => candidate)
  expect(audited(long)).toEqual(audited(unit))
  expect(neighbors(query, long)).toEqual(neighbors(query, unit))
  const [near] = similarity(query, long, ['query'])
  expectClose(
    near!.geometric.toCandidates,
    unit.map((one) => product(query, one)),
    1e-4,
  )
  expect(explain(query, long, 3).metric).toMatchObject({ name: 'cosine', unit: false })
  for (const method of ['fusion', 'rocchio', 'neighbor-rrf'] as const) {
    const texts = long.map((_, i) => `bee ${i}`)
    const rank = (vectors: number[][]) =>
      rerank({ vector: query, text: 'bee 3' }, { vectors, texts }, { method })
    expect(rank(long).metric!.name).toBe('cosine')
    if (method === 'rocchio') continue
    expect([...rank(long).order]).toEqual([...rank(unit).order])
  }
})

test('compares by inner product with the presets of the paper', () => {
  const { query, long } = searched('cosine', 40, 8)
  for (const [name, preset] of Object.entries(presets)) {
    const { metric } = rerank(query, long, preset)
    expect([name, metric!.name]).toEqual([name, name.startsWith('msmarco') ? 'dot' : 'cosine'])
  }
})

test('ignores candidates without a vector when it chooses', () => {
  const { query, long, texts } = searched('cosine', 30, 9)
  const vectors = long.map((vector, i) => (i % 3 === 0 ? undefined : vector))
  const { metric } = rerank({ vector: query, text: 'bee 3' }, { vectors, texts })
  expect(metric).toMatchObject({ name: 'cosine', agreement: { cosine: 1 } })
})
