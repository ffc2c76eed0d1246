import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import {
  type KernelName,
  type PartialSettings,
  prepareText,
  presets,
  type Ranking,
  rerank,
  type Text,
  type TitledText,
  termStatistics,
} from '../src/index.ts'
import type { Texts } from '../src/kernel/engine.ts'
import { createEngine } from '../src/kernel/load.ts'
import { resolveSettings } from '../src/settings/settings.ts'
import { Postings } from '../src/text/postings.ts'
import { appendText } from '../src/text/prepare-text.ts'
import type { TermStatistics } from '../src/text/term-statistics.ts'
import { ownContexts, rankingCases } from './golden-own.ts'
import { splitRows } from './row-forms.ts'
import { allKernels, expectClose, fastKernels, random } from './support.ts'
import {
  caseShapes,
  collectionTexts,
  givenText,
  type WordsCase,
  wordsCase,
} from './words-contexts.ts'
import {
  matchesOf,
  type OracleRanking,
  rankByWords,
  statisticsOf,
  type WordsOracleSettings,
  wholeOf,
  wordsScoresOf,
} from './words-oracle.ts'

const defaults: WordsOracleSettings = {
  contextSize: 50,
  k: 10,
  kExp: 4,
  metric: 'cosine',
  bm25Weight: 0.4,
  k1: 0.9,
  b: 0.4,
  neighborWeight: 0.2,
  supportDocs: 5,
  supportWeight: 0.2,
  windowWeight: 0.1,
  windowTerms: 8,
  titleWeight: 0.1,
  preselect: 0,
}

/** Settings over their ranges, without statistics. */
const someSettings: fc.Arbitrary<Partial<WordsOracleSettings>> = fc.record({
  k: fc.integer({ min: 1, max: 15 }),
  kExp: fc.integer({ min: 0, max: 6 }),
  bm25Weight: fc.constantFrom(0, 0.4, 1),
  k1: fc.constantFrom(0, 0.9, 2),
  b: fc.constantFrom(0, 0.4, 1),
  neighborWeight: fc.constantFrom(0, 0.2, 0.6),
  supportDocs: fc.constantFrom(0, 1, 2, 5, 100),
  supportWeight: fc.constantFrom(0, 0.2, 0.4),
  windowWeight: fc.constantFrom(0, 0.1, 1),
  windowTerms: fc.constantFrom(1, 2, 8, 1000),
  titleWeight: fc.constantFrom(0, 0.1, 1),
})

function splitCase({ query, candidates }: WordsCase) {
  return {
    asked: { vector: query.vector, text: query.text },
    found: {
      vectors: candidates.map(({ vector }) => vector),
      texts: candidates.map(givenText),
    },
  }
}

function rankCase(one: WordsCase, settings: PartialSettings): Ranking {
  const { asked, found } = splitCase(one)
  return rerank(asked, found, resolveSettings(settings))
}

/** The scores of the context, and the order if they are not equal but for rounding. */
function expectRanking(actual: Ranking, expected: OracleRanking, tolerance: number): void {
  fc.pre(!expected.ambiguous)
  const { order, scores } = actual
  const inside = expected.scores.size
  const place = new Map(expected.order.map((candidate, i) => [candidate, i]))
  expect([...order].sort((a, b) => a - b)).toEqual(expected.order.toSorted((a, b) => a - b))
  expectClose(
    scores.subarray(0, inside),
    Array.from(order.subarray(0, inside), (c) => expected.scores.get(c) ?? Number.NaN),
    tolerance,
  )
  for (let i = 1; i < inside; i++) {
    const gap = expected.scores.get(order[i - 1]!)! - expected.scores.get(order[i]!)!
    const inOrder = place.get(order[i - 1]!)! < place.get(order[i]!)!
    expect(inOrder || Math.abs(gap) < tolerance).toBe(true)
  }
  expect([...order.subarray(inside)]).toEqual(expected.order.slice(inside))
  for (let i = 1; i < scores.length; i++) expect(scores[i]! <= scores[i - 1]!).toBe(true)
}

function wordsOf(
  kernel: KernelName,
  texts: readonly string[],
  settings: { k1: number; b: number; statistics?: TermStatistics },
): Float64Array {
  return textsOf(kernel, texts).scores(settings)
}

function textsOf(kernel: KernelName, texts: readonly Text[]): Texts {
  const postings = new Postings()
  for (const text of texts) appendText(postings, text, 'english')
  return createEngine(kernel).texts(postings)
}

/** A case in which some texts are prepared, with the order of their terms or without. */
function somePrepared({ query, candidates }: WordsCase, seed: number): WordsCase {
  const next = random(seed)
  const kinds = [undefined, undefined, true, false]
  return {
    query,
    candidates: candidates.map((one) => ({ ...one, positions: kinds[Math.floor(next() * 4)] })),
  }
}

describe.each(allKernels)('the BM25 score on %s', (kernel) => {
  test('is computed over the candidates, or with the statistics of the corpus', () => {
    fc.assert(
      fc.property(caseShapes(), someSettings, fc.boolean(), (shape, some, known) => {
        const { query, candidates } = wordsCase(shape)
        const texts = candidates.map(wholeOf)
        const collection = collectionTexts(shape.seed)
        const { k1, b } = { ...defaults, ...some }
        const oracle = { k1, b, statistics: known ? statisticsOf(collection) : undefined }
        const settings = { k1, b, ...(known && { statistics: termStatistics(collection) }) }
        const words = wordsOf(kernel, [query.text, ...texts], settings)
        expectClose(words, [0, ...wordsScoresOf(query.text, texts, oracle)], 1e-9)
        // Every kernel adds the same numbers in the same order.
        expect(words).toEqual(wordsOf('typescript', [query.text, ...texts], settings))
      }),
      tries(15),
    )
  })
})

describe.each(allKernels)('the ranking with words on %s', (kernel) => {
  test('equals docs/method.md, with and without statistics', () => {
    fc.assert(
      fc.property(caseShapes(), someSettings, fc.boolean(), (shape, some, known) => {
        const one = somePrepared(wordsCase({ ...shape, kind: 'clustered' }), shape.seed)
        const all = { ...defaults, ...some }
        const collection = collectionTexts(shape.seed)
        const expected = rankByWords(one.query, one.candidates, {
          ...all,
          statistics: known ? statisticsOf(collection) : undefined,
        })
        const statistics = known ? termStatistics(collection) : undefined
        expectRanking(rankCase(one, { ...all, statistics, kernel }), expected, 1e-4)
      }),
      tries(20),
    )
  })

  test('uses cosines for the graph if the metric is the inner product', () => {
    const one = wordsCase({ kind: 'floats', count: 40, seed: 4 })
    const all = { ...defaults, metric: 'dot' } as const
    const expected = rankByWords(one.query, one.candidates, all)
    expectRanking(rankCase(one, { metric: 'dot', kernel }), expected, 1e-4)
  })

  test('preselects the context from the first M candidates', () => {
    fc.assert(
      fc.property(
        caseShapes(90),
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 0, max: 80 }),
        fc.boolean(),
        (shape, contextSize, preselect, known) => {
          const one = wordsCase({ ...shape, kind: 'clustered' })
          const collection = collectionTexts(shape.seed)
          const all = { ...defaults, contextSize, preselect }
          const expected = rankByWords(one.query, one.candidates, {
            ...all,
            statistics: known ? statisticsOf(collection) : undefined,
          })
          const statistics = known ? termStatistics(collection) : undefined
          expectRanking(rankCase(one, { ...all, statistics, kernel }), expected, 1e-4)
        },
      ),
      tries(15),
    )
  })

  test('preselects from 200 candidates with statistics, and not at all without', () => {
    const one = wordsCase({ count: 230, seed: 8 })
    const collection = collectionTexts(8)
    const statistics = termStatistics(collection)
    const settings = { metric: 'cosine', kernel } as const
    expectRanking(
      rankCase(one, { ...settings, statistics }),
      rankByWords(one.query, one.candidates, {
        ...defaults,
        preselect: 200,
        statistics: statisticsOf(collection),
      }),
      1e-4,
    )
    expectRanking(rankCase(one, settings), rankByWords(one.query, one.candidates, defaults), 1e-4)
  })

  test('uses only vectors for g if the query has no terms', () => {
    const one = wordsCase({ count: 30, seed: 3 })
    for (const text of ['', 'of the', '?!']) {
      const without = { ...one, query: { ...one.query, text } }
      const ranking = rankCase(without, { kernel })
      for (const bm25Weight of [0, 0.9]) {
        expect(rankCase(without, { kernel, bm25Weight })).toEqual(ranking)
      }
    }
  })

  test('keeps the order of identical candidates, with or without texts and vectors', () => {
    for (const some of [{ twins: 1 }, { twins: 1, empty: 1 }, { twins: 1, zeros: 1 }]) {
      const { order, scores } = rankCase(wordsCase({ count: 20, ...some }), { kernel })
      expect([...order]).toEqual(Array.from({ length: 20 }, (_, i) => i))
      expect([...scores]).toEqual(Array.from({ length: 20 }, () => 0))
    }
    expect(rankCase(wordsCase({ count: 1 }), { kernel })).toMatchObject({
      order: Uint32Array.of(0),
      scores: Float32Array.of(0),
    })
    expect(rankCase(wordsCase({ count: 0 }), { kernel }).order.length).toBe(0)
  })

  test('ranks the earlier of two equal candidates first', () => {
    fc.assert(
      fc.property(caseShapes(50), (shape) => {
        const one = wordsCase({ ...shape, twins: 0.5 })
        const { order, scores } = rankCase(one, { kernel, neighborWeight: 0, supportWeight: 0 })
        const places = new Map(one.candidates.map(({ vector }) => [vector, [] as number[]]))
        order.forEach((candidate, place) => {
          places.get(one.candidates[candidate]!.vector)!.push(place)
        })
        for (const twins of places.values()) {
          const indices = twins.map((place) => order[place]!)
          expect(indices).toEqual(indices.toSorted((a, b) => a - b))
          for (const place of twins) expect(scores[place]).toBe(scores[twins[0]!])
        }
      }),
      tries(10),
    )
  })

  test('ranks prepared texts bit for bit as raw texts', () => {
    const { asked, found } = splitCase(wordsCase({ count: 40, seed: 6, titles: 0.5 }))
    const texts = found.texts.map((text) => prepareText(text as TitledText))
    const prepared = rerank(
      { ...asked, text: prepareText(asked.text) },
      { ...found, texts },
      { kernel },
    )
    expect(prepared).toEqual(rerank(asked, found, { kernel }))
  })

  test('keeps the scale of a single view of vectors, however small', () => {
    const { asked, found } = splitCase(wordsCase({ count: 30, seed: 9 }))
    const views = { vectors: { graph: 1, score: 1 } }
    const small = found.vectors.map((vector) => vector.map((value) => value * 2 ** -12))
    const vector = asked.vector.map((value) => value * 2 ** -12)
    const { order, scores } = rerank(asked, found, { kernel, views })
    const again = rerank({ ...asked, vector }, { ...found, vectors: small }, { kernel, views })
    expect(again.order).toEqual(order)
    expectClose(again.scores, scores, 1e-4)
  })

  test('ranks bit for bit the same with the mixes words and standard if there are no texts', () => {
    fc.assert(
      fc.property(caseShapes(), fc.constantFrom('dot', 'cosine'), (shape, metric) => {
        const { asked, found } = splitCase(wordsCase(shape))
        const { vector } = asked
        const { vectors } = found
        const standard = rerank(vector, vectors, { kernel, metric, mix: 'standard' })
        expect(rerank(vector, vectors, { kernel, metric, mix: 'words' })).toEqual(standard)
        expect(rerank(vector, vectors, { kernel, metric })).toEqual(standard)
      }),
      tries(10),
    )
  })

  test('treats a title as the start of the text if titleWeight is 0', () => {
    const one = wordsCase({ count: 40, seed: 8, titles: 0.5 })
    const joined = one.candidates.map(({ vector, ...own }) => ({ vector, text: wholeOf(own) }))
    const statistics = termStatistics(one.candidates.map(givenText))
    expect(statistics).toEqual(termStatistics(joined.map(({ text }) => text)))
    const settings = { titleWeight: 0, statistics, kernel }
    expect(rankCase(one, settings)).toEqual(rankCase({ ...one, candidates: joined }, settings))
    expect(rankCase(one, { kernel })).not.toEqual(
      rankCase({ ...one, candidates: joined }, { kernel }),
    )
  })

  test('leaves out only window and title with the preset balanced-2', () => {
    const one = wordsCase({ count: 40, seed: 8, titles: 0.5 })
    const second = { ...defaults, windowWeight: 0, titleWeight: 0 }
    const ranking = rankCase(one, { ...presets['balanced-2'], metric: 'cosine', kernel })
    expectRanking(ranking, rankByWords(one.query, one.candidates, second), 1e-4)
    const again = { ...presets['balanced-2'], metric: 'cosine', windowTerms: 2, kernel } as const
    expect(rankCase(one, again)).toEqual(ranking)
  })

  test('computes window and title as docs/method.md says, for contexts of any size', () => {
    fc.assert(
      fc.property(
        caseShapes(20),
        fc.constantFrom(1, 2, 3, 8, 1000),
        fc.boolean(),
        (shape, windowTerms, known) => {
          const one = somePrepared(wordsCase({ ...shape, longest: 150 }), shape.seed)
          const collection = collectionTexts(shape.seed)
          const expected = matchesOf(one.query.text, one.candidates, {
            windowTerms,
            statistics: known ? statisticsOf(collection) : undefined,
          })
          const statistics = known ? termStatistics(collection) : undefined
          const settings = { k1: 0.9, b: 0.4, windowTerms, statistics }
          const texts = [one.query.text, ...one.candidates.map(givenText)]
          const actual = textsOf(kernel, texts).matches(settings)
          expectClose(actual.window, [0, ...expected.window], 1e-8)
          expectClose(actual.title, [0, ...expected.title], 1e-8)
          // Sums of whole numbers: every kernel has the same, and texts with the same terms tie.
          expect(actual).toEqual(textsOf('typescript', texts).matches(settings))
        },
      ),
      tries(15),
    )
  })

  test('finds no window at wrong positions of a prepared text, without other harm', () => {
    const prepared = prepareText('wing flow')
    const wrong = [[0, 4_000_000_000], [9, 1], [1], []].map((positions) => ({
      ...prepared,
      positions: Uint32Array.from(positions),
    }))
    const texts = ['wing flow', ...wrong, 'wing flow']
    const { window } = textsOf(kernel, texts).matches({ k1: 0.9, b: 0.4, windowTerms: 2 })
    expect([...window]).toEqual([0, 0.5, 0.5, 0, 0, 1])
  })

  test('ranks by two views with the preset balanced-1, for any settings of later generations', () => {
    const cases = rankingCases.filter(
      ({ context, settings }) => ownContexts[context]!.texts && settings.mix !== 'raw',
    )
    expect(cases.length).toBeGreaterThan(0)
    for (const { context, settings, expected } of cases) {
      const { query, candidates } = splitRows(ownContexts[context]!)
      const first = { ...presets['balanced-1'], ...settings, kernel }
      const ranking = rerank(query, candidates, first)
      expect([...ranking.order]).toEqual(expected.order)
      const generations = { bm25Weight: 1, k1: 3, b: 1, supportDocs: 1, preselect: 100 }
      const others = { ...generations, windowWeight: 1, windowTerms: 2, titleWeight: 1 }
      expect(rerank(query, candidates, { ...first, ...others })).toEqual(ranking)
    }
  })
})

describe.each(fastKernels)('%s and the plain kernel with words', (kernel) => {
  test('compute the same scores', () => {
    fc.assert(
      fc.property(
        caseShapes(80),
        someSettings,
        fc.integer({ min: 0, max: 80 }),
        (shape, some, preselect) => {
          const one = wordsCase({ ...shape, kind: 'clustered' })
          const all = { ...defaults, ...some, contextSize: 30, preselect }
          fc.pre(!rankByWords(one.query, one.candidates, all).ambiguous)
          const fast = rankCase(one, { ...all, statistics: undefined, kernel })
          const plain = rankCase(one, { ...all, statistics: undefined, kernel: 'typescript' })
          expectClose(byCandidate(fast), byCandidate(plain), 1e-4)
        },
      ),
      tries(15),
    )
  })
})

function byCandidate({ order, scores }: Ranking): Float32Array {
  const all = new Float32Array(order.length)
  order.forEach((candidate, place) => {
    all[candidate] = scores[place]!
  })
  return all
}
