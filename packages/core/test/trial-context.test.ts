import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import {
  type PartialSettings,
  rerank,
  type Tokenizer,
  TrialContext,
  termStatistics,
} from '../src/index.ts'
import { resolveSettings } from '../src/settings/settings.ts'
import { type Kind, makeContext, settings } from './contexts.ts'
import { allKernels, random, splitContext } from './support.ts'
import { caseShapes, collectionTexts, wordsCase } from './words-contexts.ts'

const kinds: readonly Kind[] = ['integers', 'floats', 'clustered']

/** Two ways of a caller's to make terms. */
const letters: Tokenizer = (text) => text.split('')
const firstLetters: Tokenizer = (text) => text.split(' ').map((word) => word.slice(0, 1))

/** Settings of one study after the other, whose sizes and scales come back. */
function trials(most: number): fc.Arbitrary<PartialSettings[]> {
  const trial = fc
    .tuple(
      settings(),
      fc.record({
        contextSize: fc.oneof(fc.constantFrom(1, 10, 20), fc.integer({ min: 1, max: most })),
        rowScaling: fc.constantFrom('none', 'max', 'mean'),
      }),
    )
    .map(([some, more]) => ({ ...some, ...more }))
  return fc.array(trial, { minLength: 2, maxLength: 10 })
}

function texts(count: number, seed: number): string[] {
  const next = random(seed)
  return Array.from({ length: count }, () =>
    Array.from({ length: Math.floor(next() * 12) }, () => `word${Math.floor(40 ** next())}`).join(
      ' ',
    ),
  )
}

describe.each(allKernels)('TrialContext on %s', (kernel) => {
  test('equals rerank bit for bit for vectors, after any earlier rankings', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.integer({ min: 0, max: 70 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 0.1),
        fc.integer(),
        trials(70),
        (kind, count, dimensions, zeros, seed, list) => {
          const context = makeContext(kind, count + 1, dimensions, { zeros, duplicates: 0.2, seed })
          const { query, candidates } = splitContext(context)
          const shared = new TrialContext(query, candidates, 70, kernel)
          for (const some of list) {
            expect(shared.rerank(some)).toEqual(
              rerank(query, candidates, resolveSettings({ ...some, kernel })),
            )
          }
        },
      ),
      tries(15),
    )
  })

  test('equals rerank for vectors, words and a third view', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer(),
        fc.boolean(),
        fc.array(fc.tuple(fc.constantFrom(0, 0.3, 1), fc.constantFrom(0, 0.2, 1)), {
          minLength: 10,
          maxLength: 10,
        }),
        trials(50),
        (count, seed, further, weights, list) => {
          const { query, candidates } = splitContext(
            makeContext('clustered', count + 1, 9, { seed }),
          )
          const other = splitContext(makeContext('floats', count + 1, 5, { seed: seed + 1 }))
          const [text, ...rest] = texts(count + 1, seed)
          const asked = { vector: query, text, views: { other: other.query } }
          const found = {
            vectors: candidates,
            texts: rest,
            views: further ? { other: other.candidates } : undefined,
          }
          const shared = new TrialContext(asked, found, 50, kernel)
          list.forEach((some, i) => {
            const [graph, score] = weights[i]!
            const views = {
              vectors: { graph: 1 - graph, score: 1 - score },
              texts: { graph, score },
            }
            const alone = graph === 0 && score === 0
            // Every third trial takes the default weights.
            const own = i % 3 === 0 ? {} : { views }
            const mix = alone && i % 3 > 0 ? some.mix : 'standard'
            const all = { ...some, ...own, mix } as const
            expect(shared.rerank(all)).toEqual(
              rerank(asked, found, resolveSettings({ ...all, kernel })),
            )
          })
        },
      ),
      tries(15),
    )
  })

  test('equals rerank with words, statistics and preselection', () => {
    const trial = fc.record({
      contextSize: fc.integer({ min: 1, max: 50 }),
      preselect: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
      known: fc.boolean(),
      tokenizer: fc.constantFrom<Tokenizer>('english', 'none', letters, firstLetters),
      metric: fc.constantFrom('dot', 'cosine'),
      bm25Weight: fc.constantFrom(0, 0.4, 1),
      supportDocs: fc.constantFrom(0, 1, 5),
      k: fc.integer({ min: 1, max: 12 }),
    })
    fc.assert(
      fc.property(
        caseShapes(70),
        fc.constantFrom(0, 0, 0.3),
        fc.array(trial, { minLength: 2, maxLength: 6 }),
        (shape, lacking, list) => {
          const { query, candidates } = wordsCase({ ...shape, kind: 'clustered' })
          const next = random(shape.seed)
          const asked = { vector: query.vector, text: query.text }
          const found = {
            vectors: candidates.map(({ vector }) => (next() < lacking ? undefined : vector)),
            texts: candidates.map(({ text }) => text),
          }
          const shared = new TrialContext(asked, found, 200, kernel)
          for (const { known, ...some } of list) {
            const { tokenizer } = some
            const statistics = known
              ? termStatistics(collectionTexts(shape.seed), { tokenizer })
              : undefined
            const all = { ...some, statistics, kernel }
            expect(shared.rerank(all)).toEqual(rerank(asked, found, resolveSettings(all)))
          }
        },
      ),
      tries(15),
    )
  })

  test('equals rerank for vectors of extreme length, and with a NaN beyond the context', () => {
    const { query, candidates } = splitContext(makeContext('floats', 31, 8, { seed: 3 }))
    for (const change of [1e-25, 1e20, Number.NaN]) {
      const data = candidates.data.map((value, i) => (i >= 200 && i < 208 ? value * change : value))
      const strange = { ...candidates, data }
      const shared = new TrialContext(query, strange, 30, kernel)
      for (const metric of ['dot', 'cosine'] as const) {
        for (const contextSize of [10, 30]) {
          const some = { metric, contextSize, kernel }
          expect(outcome(() => shared.rerank(some))).toEqual(
            outcome(() => rerank(query, strange, some)),
          )
        }
      }
    }
  })
})

test('keeps the old order of candidates beyond the context', () => {
  const { query, candidates } = splitContext(makeContext('clustered', 41, 12, { seed: 5 }))
  const shared = new TrialContext(query, candidates, 20)
  const ranking = shared.rerank({ contextSize: 20 })
  expect(ranking).toEqual(rerank(query, candidates, { contextSize: 20 }))
  expect(ranking.order.length).toBe(40)
})

test('computes S once, and counts how often it was used', () => {
  const { query, candidates } = splitContext(makeContext('clustered', 41, 12, { seed: 5 }))
  const shared = new TrialContext(query, candidates, 40)
  expect(shared.bytes).toBe(0)
  shared.rerank({ contextSize: 30, k: 12 })
  // The kernel's rows are multiples of 4.
  const s = 44 * 44 * 4
  const ranks = 31 * 13 * 4
  expect(shared.bytes).toBe(s + ranks)
  shared.rerank({ contextSize: 30, k: 3, kExp: 2, lambda: 0.2 })
  expect(shared.bytes).toBe(s + ranks)
  for (let contextSize = 1; contextSize <= 40; contextSize++) shared.rerank({ contextSize, k: 1 })
  expect(shared.bytes).toBeLessThan(s + 32 * 41 * 2 * 4)
})

test('refuses a context that is larger than announced', () => {
  const { query, candidates } = splitContext(makeContext('clustered', 41, 12, { seed: 5 }))
  const shared = new TrialContext(query, candidates, 20)
  expect(() => shared.rerank({ contextSize: 21 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('21') }),
  )
  expect(() => new TrialContext(query, candidates, 0)).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
})

function outcome(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return (error as Error).message
  }
}
