import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { thorough, tries } from '../../../test/thorough.ts'
import { background, explain, recency, rerank, shortlist, termStatistics } from '../src/index.ts'
import { expectedBest, neverRising } from '../src/list/relevance.ts'
import { haveDatasets, readDataset } from './real-datasets.ts'
import { random } from './support.ts'
import { caseShapes, givenText, wordsCase } from './words-contexts.ts'

function given(shape: Parameters<typeof wordsCase>[0]) {
  const { query, candidates } = wordsCase(shape)
  return {
    query: { vector: query.vector, text: query.text },
    candidates: {
      vectors: candidates.map(({ vector }) => vector),
      texts: candidates.map(givenText),
    },
  }
}

test('returns the order and scores of rerank without options, with similarities', () => {
  fc.assert(
    fc.property(caseShapes(40), fc.constantFrom('dot', 'cosine'), (shape, metric) => {
      const { query, candidates } = given(shape)
      const { hits, below, onTopic } = shortlist(query, candidates, { metric })
      const { order, scores } = rerank(query, candidates, { metric })
      expect(hits.map(({ index }) => index)).toEqual([...order])
      expect(hits.map(({ score }) => score)).toEqual([...scores])
      expect([below, onTopic]).toEqual([[], undefined])
      for (const { index, similarity, relevance } of hits) {
        const vector = candidates.vectors[index]!
        const dot = vector.reduce((sum, value, j) => sum + value * query.vector[j]!, 0)
        const length = Math.hypot(...vector) * Math.hypot(...query.vector)
        expect(similarity).toBeCloseTo(metric === 'dot' ? dot : dot / length || 0, 3)
        expect(relevance).toBeUndefined()
      }
    }),
    tries(15),
  )
})

describe('shortlist with estimated relevance', () => {
  const { query, candidates } = given({ count: 60, seed: 8 })
  const known = background(wordsCase({ count: 80, seed: 5 }).candidates.map(({ vector }) => vector))
  const options = { background: known, statistics: termStatistics(candidates.texts) }

  test('returns probabilities that never rise, for the first 20 hits', () => {
    const { hits, onTopic } = shortlist(query, candidates, options)
    const estimates = hits.map(({ relevance }) => relevance)
    expect(estimates.slice(20).every((estimate) => estimate === undefined)).toBe(true)
    estimates.slice(0, 20).forEach((estimate, i, all) => {
      expect(estimate).toBeGreaterThan(0)
      expect(estimate).toBeLessThan(1)
      if (i > 0) expect(estimate).toBeLessThanOrEqual(all[i - 1]!)
    })
    expect(onTopic).toBeGreaterThanOrEqual(0)
    expect(onTopic).toBeLessThanOrEqual(1)
  })

  test('cuts the list by expected F1, by a number, by a probability, and for queries off topic', () => {
    const all = shortlist(query, candidates, options)
    const estimates = all.hits.slice(0, 20).map(({ relevance }) => relevance!)
    const cut = (more: object) => {
      const { hits, below } = shortlist(query, candidates, { ...options, ...more })
      expect([...hits, ...below]).toEqual(all.hits)
      return hits.length
    }
    expect(cut({ cutoff: 'auto' })).toBe(expectedBest(estimates))
    expect([0, 3, 1000].map((cutoff) => cut({ cutoff }))).toEqual([0, 3, 60])
    const middle = estimates[9]!
    const atLeast = estimates.filter((estimate) => estimate >= middle).length
    expect(cut({ cutoff: { relevance: middle } })).toBe(atLeast)
    expect(cut({ onTopic: all.onTopic! })).toBe(60)
    expect(cut({ onTopic: Math.min(1, all.onTopic! + 0.01) })).toBe(0)
  })

  test('onTopic is the same if it is read later, even after the vector has changed', () => {
    const vector = Float32Array.from(query.vector)
    const later = shortlist({ ...query, vector }, candidates, options)
    const atOnce = shortlist(query, candidates, { ...options, onTopic: 0 })
    vector.fill(0)
    shortlist(query, candidates)
    expect(later.onTopic).toBe(atOnce.onTopic)
    expect({ ...later }.onTopic).toBe(atOnce.onTopic)
    expect(JSON.parse(JSON.stringify(later)).onTopic).toBe(atOnce.onTopic)
  })

  test('a calibration moves the probabilities and not the order', () => {
    const plain = shortlist(query, candidates, options)
    const moved = shortlist(query, candidates, { ...options, calibration: { a: 1, b: -2 } })
    expect(moved.hits.map(({ index }) => index)).toEqual(plain.hits.map(({ index }) => index))
    const logit = (p: number) => Math.log(p / (1 - p))
    expect(logit(moved.hits[0]!.relevance!)).toBeCloseTo(logit(plain.hits[0]!.relevance!) - 2)
  })

  test('names the missing input', () => {
    const { vectors } = candidates
    expect(() => shortlist(query, candidates, { cutoff: 'auto' })).toThrow('background(vectors)')
    expect(() => shortlist(query, candidates, { onTopic: 0.5 })).toThrow('background(vectors)')
    const bare = { background: known, cutoff: { relevance: 0.5 } }
    expect(() => shortlist(query.vector, vectors, bare)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
    const few = { ...known, dimensions: 8 }
    expect(() => shortlist(query, candidates, { background: few })).toThrow(
      expect.objectContaining({ code: 'BAD_SHAPE' }),
    )
  })

  test('replaces rising probabilities by their mean', () => {
    expect(neverRising([0.5, 0.2, 0.4, 0.1])).toEqual([
      0.5, 0.30000000000000004, 0.30000000000000004, 0.1,
    ])
    expect(neverRising([0.1, 0.2, 0.6])).toEqual([0.3, 0.3, 0.3].map((p) => expect.closeTo(p)))
    expect([[], [0.9, 0.9, 0.01], [0.05]].map(expectedBest)).toEqual([0, 2, 1])
  })
})

test('background measures the spread of pairs, the same for a seed', () => {
  const vectors = wordsCase({ count: 50, seed: 3 }).candidates.map(({ vector }) => vector)
  const whole = background(vectors)
  expect(background(vectors)).toEqual(whole)
  const { sample } = background(vectors, { sample: 20 })
  expect(Buffer.from(sample, 'base64').length).toBe(20 * 16 * 2)
  expect(JSON.parse(JSON.stringify(whole))).toEqual(whole)
  expect(background(vectors, { sample: 20, seed: 1 })).not.toEqual(
    background(vectors, { sample: 20 }),
  )
  const cosine = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, j) => sum + value * b[j]!, 0) / Math.hypot(...a) / Math.hypot(...b)
  const pairs = vectors.flatMap((a, i) => vectors.slice(i + 1).map((b) => cosine(a, b)))
  const mean = pairs.reduce((sum, value) => sum + value, 0) / pairs.length
  expect(whole.pairs.mean).toBeCloseTo(mean, 5)
  const deviation = Math.sqrt(pairs.reduce((sum, p) => sum + (p - mean) ** 2, 0) / pairs.length)
  expect(whole.pairs.deviation).toBeCloseTo(deviation, 5)
  const nearest = vectors.map((a) => Math.max(...vectors.map((b) => (a === b ? -1 : cosine(a, b)))))
  expect(whole.nearest.mean).toBeCloseTo(nearest.reduce((sum, c) => sum + c, 0) / 50, 5)
  expect(() => background([[1, 2]])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
})

describe('shortlist', () => {
  const { query, candidates } = given({ count: 30, seed: 8 })

  test('keeps a limited number of hits per group and lists the others with the first', () => {
    const groups = Array.from({ length: 30 }, (_, i) => (i === 7 ? undefined : i % 5))
    const { order } = rerank(query, candidates)
    for (const maxPerGroup of [1, 2]) {
      const { hits } = shortlist(query, candidates, { groups, maxPerGroup })
      expect(hits.length).toBe(5 * maxPerGroup + 1)
      const seen = hits.flatMap(({ index, others }) => [index, ...others])
      expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i))
      const places = hits.map(({ index }) => order.indexOf(index))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      for (const { index, others } of hits) {
        for (const other of others) expect(groups[other]).toBe(groups[index])
      }
    }
  })

  test('accepts priors, standardized or as log-odds, and ignores missing priors', () => {
    const best = rerank(query, candidates).order
    const last = best[29]!
    const priors = Array.from({ length: 30 }, (_, i) => (i === last ? 1 : 0))
    const first = shortlist(query, candidates, { priors, priorWeight: 10 }).hits
    expect(first[0]!.index).toBe(last)
    const odds = { priors, priorWeight: 100, priorScale: 'log-odds' } as const
    expect(shortlist(query, candidates, odds).hits[0]!.index).toBe(last)
    const none = shortlist(query, candidates, { priors: priors.map(() => undefined) })
    expect(none.hits.map(({ index }) => index)).toEqual([...best])
    expect(() => shortlist(query, candidates, { priors: priors.map(() => Number.NaN) })).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('candidate') }),
    )
    const behind = shortlist(query, candidates, { priors, priorWeight: 10, contextSize: 20 }).hits
    for (let i = 1; i < 30; i++) expect(behind[i]!.score <= behind[i - 1]!.score).toBe(true)
  })

  test('explain gives the prior, its weight and its part of the score', () => {
    const priors = Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? undefined : i / 10))
    for (const own of [{ priors }, { priors, priorWeight: 2, priorScale: 'log-odds' as const }]) {
      const options = { ...own, contextSize: 20 }
      shortlist(query, candidates, options).hits.forEach(({ index, score }, i) => {
        const told = explain(query, candidates, index, options)
        const weight = options.priorWeight ?? 0.1
        expect(told).toMatchObject({ rankAfter: i + 1, score, priorWeight: weight })
        expect(told.prior).toBe(priors[index])
        const { parts } = told
        if (!told.inContext) {
          expect(parts.prior).toBe(0)
          return
        }
        const sum = Object.values(parts).reduce((total, part) => total + part, 0)
        expect(sum).toBeCloseTo(score, 5)
        if (priors[index] === undefined) expect(parts.prior).toBeCloseTo(0, 6)
        else if (own.priorScale) expect(parts.prior).toBeCloseTo(2 * priors[index]!, 5)
      })
    }
    const plain = explain(query, candidates, 1)
    expect([plain.prior, plain.priorWeight, plain.parts.prior]).toEqual([undefined, undefined, 0])
    expect(() => explain(query, candidates, 1, { priorWeight: 2 })).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('priorWeight'),
      }),
    )
    expect(() => explain(query, candidates, 1, { priors: 3 as never })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('priors') }),
    )
  })

  test('accepts dates as priors', () => {
    const now = Date.UTC(2026, 0, 31)
    const dates = ['2026-01-31', new Date('2026-01-01'), Date.UTC(2025, 11, 2), undefined]
    expect(recency(dates, { halfLife: 30, now })).toEqual([1, 0.5, 0.25, undefined])
    expect(() => recency(['soon'], { halfLife: 1 })).toThrow('date 0')
    expect(() => recency([], { halfLife: 0 })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
  })

  test('refuses a score threshold, and options without effect', () => {
    for (const name of ['minScore', 'score_threshold', 'threshold']) {
      expect(() => shortlist(query, candidates, { [name]: 1 })).toThrow('{ relevance: 0.5 }')
      expect(() => rerank(query, candidates, { [name]: 1 })).toThrow('{ relevance: 0.5 }')
    }
    expect(() => shortlist(query, candidates, { maxPerGroup: 2 })).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('maxPerGroup'),
      }),
    )
    expect(() => shortlist(query, candidates, { priorWeight: 2 })).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('priorWeight'),
      }),
    )
    expect(() => shortlist(query, candidates, { cutof: 2 } as never)).toThrow('did you mean cutoff')
    expect(() => shortlist(query, candidates, { cutoff: -1 })).toThrow("'auto'")
  })

  test('accepts candidates without vectors, merged from two lists', () => {
    const some = candidates.vectors.map((vector, i) => (i % 3 === 0 ? undefined : vector))
    const scores = some.map((_, i) => 30 - i)
    const found = { ...candidates, vectors: some, scores }
    const { hits } = shortlist(query, found, { collapse: 0.99, groups: some.map((_, i) => i % 9) })
    expect(hits.length).toBe(9)
    for (const { index, similarity } of hits) {
      expect(similarity === undefined).toBe(index % 3 === 0)
    }
    const bare = shortlist({ text: query.text }, { texts: candidates.texts }, { collapse: 0.9 })
    expect(bare.hits.length).toBeGreaterThan(0)
  })
})

const datasets = thorough ? ['cranfield', 'cisi', 'scifact'] : ['cisi']

describe.skipIf(!haveDatasets).each(datasets)('copies in %s', (name) => {
  test('ranks as without copies if collapse is set', () => {
    const { texts, queries } = readDataset(name)
    const statistics = termStatistics(texts)
    const next = random(1)
    for (const { vector, text, candidates, vectors } of queries.slice(0, 20)) {
      const query = { vector, text }
      const own = candidates.map((row) => texts[row]!)
      // Documents of a dataset can be near-duplicates themselves: the list without copies has none.
      const plain = shortlist(query, { vectors, texts: own }, { statistics, collapse: 0.95 })
      const all = candidates.flatMap((_, i) => {
        const copies = next() < 0.1 ? 2 + Math.floor(next() * 4) : 0
        return Array.from({ length: copies + 1 }, (_, copy) => ({ i, copy }))
      })
      const moved = all.map(({ i, copy }) => (copy === 0 ? vectors[i]! : nudged(vectors[i]!, next)))
      const edited = all.map(({ i, copy }) =>
        copy === 0 ? own[i]! : { ...own[i]!, text: `${own[i]!.text} edition ${copy}` },
      )
      const list = shortlist(
        query,
        { vectors: moved, texts: edited },
        { statistics, collapse: 0.95 },
      )
      expect(list.hits.slice(0, 50).map(({ index }) => all[index]!.i)).toEqual(
        plain.hits.slice(0, 50).map(({ index }) => index),
      )
      expect(list.hits.slice(0, 50).map(({ score }) => score)).toEqual(
        plain.hits.slice(0, 50).map(({ score }) => score),
      )
      const same = shortlist(query, { vectors: moved, texts: edited }, { statistics })
      expect(same.hits.length).toBe(all.length)
    }
  })
})

/** A vector with a cosine of about 0.98 with another. */
function nudged(vector: Float32Array, next: () => number): Float32Array {
  const size = 0.2 * Math.hypot(...vector)
  const noise = vector.map(() => next() - 0.5)
  const length = Math.hypot(...noise)
  return vector.map((value, j) => value + (size * noise[j]!) / length)
}
