import { prepareText, rerank, Selection, termStatistics } from '@kith/core'
import fc from 'fast-check'
import { expect, expectTypeOf, test } from 'vitest'
import {
  elasticsearch,
  type MergedHit,
  merged,
  mergeHits,
  qdrant,
  type RerankedHit,
  rerankFetched,
  rerankHits,
} from '../src/index.ts'
import { sampleHits } from './hits.ts'

const { query, hits } = sampleHits(60)
type Hit = { id: string; vector?: number[] | undefined; text: string; score?: number }
const reader = {
  id: ({ id }: Hit) => id,
  vector: ({ vector }: Hit) => vector,
  text: ({ text }: Hit) => text,
  score: ({ score }: Hit) => score,
}
const scored = hits.map((hit, i) => ({ ...hit, score: 100 - i }))
const bare = ({ vector, ...hit }: (typeof scored)[number]): Hit => hit
const places = (better: RerankedHit<unknown>[]) => better.map(({ index, score }) => [index, score])

/** Some of the sample's hits, in any order, each at most once. */
const someHits = fc.shuffledSubarray(scored)

test('returns each document once, with its score in each list, by reciprocal rank fusion', () => {
  const check = (first: Hit[], second: Hit[], third: Hit[]) => {
    const lists = [first, second, third]
    const found = mergeHits(
      lists.map((hits) => ({ hits, reader: { ...reader, score: undefined } })),
    )
    const ids = new Set(lists.flat().map(({ id }) => id))
    expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort())
    for (const hit of found) {
      const ranks = lists.map((list) => list.findIndex(({ id }) => id === hit.id) + 1)
      hit.hits.forEach((own, i) => {
        expect(own).toBe(lists[i]![ranks[i]! - 1])
      })
      const fused = ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / (60 + rank)), 0)
      expect(hit.fused).toBeCloseTo(fused, 12)
    }
    const fused = found.map((hit) => hit.fused)
    expect(fused).toEqual([...fused].sort((a, b) => b - a))
  }
  const few = fc.shuffledSubarray(scored.slice(0, 12))
  fc.assert(fc.property(few, few, few, check), { numRuns: 20 })
})

test('ranks a single list, alone or with empty lists, as without merging', () => {
  const lacking = fc.uniqueArray(fc.nat(59), { maxLength: 50 })
  const check = (without: number[], before: boolean, known: boolean) => {
    const list = scored.map((hit, i) => (without.includes(i) ? bare(hit) : hit))
    const own = known ? reader : { ...reader, score: undefined }
    const [full, empty] = [
      { hits: list, reader: own },
      { hits: [] as Hit[], reader: own },
    ]
    const expected = places(rerankHits(query, list, own))
    expect(places(rerankHits(query, mergeHits([full]), merged()))).toEqual(expected)
    const both = mergeHits(before ? [empty, full] : [full, empty])
    expect(places(rerankHits(query, both, merged()))).toEqual(expected)
  }
  fc.assert(fc.property(lacking, fc.boolean(), fc.boolean(), check), { numRuns: 10 })
})

test('gives a document without a vector its score in the first list, or the lowest score there', () => {
  const check = (dense: typeof scored, words: typeof scored) => {
    fc.pre(dense.length > 0)
    const sorted = dense.toSorted((a, b) => b.score - a.score)
    const found = mergeHits([
      { hits: sorted.map((hit, i) => (i % 3 === 0 ? hit : bare(hit))), reader },
      { hits: words.map((hit) => ({ ...bare(hit), score: 7 })), reader },
    ])
    const scores = found.map(({ id }) => {
      return (sorted.find((hit) => hit.id === id) ?? sorted.at(-1)!).score
    })
    expect(found.map(({ similarity }) => similarity)).toEqual(scores)
    const first = found.slice(0, 50)
    fc.pre(first.some(({ vector }) => vector !== undefined))
    const candidates = {
      vectors: first.map(({ vector }) => vector),
      texts: first.map(({ text }) => text!),
      scores: scores.slice(0, 50),
    }
    const expected = rerank(query, candidates)
    const better = rerankHits(query, found, merged(), { topN: 50 })
    expect(better.map(({ index }) => index)).toEqual([...expected.order])
  }
  fc.assert(fc.property(someHits, someHits, check), { numRuns: 20 })
  // Two scores that rise from the first document to the second are no distances.
  const [a, b] = [bare(scored[0]!), scored[1]!]
  const rising = mergeHits([
    { hits: [a, b], reader },
    { hits: [b], reader },
  ])
  expect(rising.map(({ id, similarity }) => [id, similarity])).toEqual([
    [b.id, 99],
    [a.id, 100],
  ])
  const candidates = { vectors: [b.vector, undefined], texts: [b.text, a.text], scores: [99, 100] }
  const { scores } = rerank(query, candidates)
  expect(rerankHits(query, rising, merged()).map(({ score }) => score)).toEqual([...scores])
})

test('takes the vector of a document from either list, and refuses lists without any vector', () => {
  const halves = [
    scored.map((hit, i) => (i % 2 === 0 ? hit : bare(hit))),
    scored.map((hit, i) => (i % 2 === 1 ? hit : bare(hit))),
  ]
  const found = mergeHits(halves.map((hits) => ({ hits, reader })))
  expect(places(rerankHits(query, found, merged()))).toEqual(
    places(rerankHits(query, hits, reader)),
  )
  const none = mergeHits([{ hits: scored.map(bare), reader }])
  expect(() => rerankHits(query, none, merged())).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('hit 0') }),
  )
  const { text } = query
  expect(places(rerankHits({ text }, none, merged()))).toEqual(
    places(rerankHits({ text }, scored.map(bare), reader)),
  )
  // Another encoder's vectors are not compared with the query's.
  const other = scored.map((hit) => ({ ...hit, vector: [1, 2, 3] }))
  const two = mergeHits([
    { hits: other, reader: { ...reader, vector: undefined } },
    { hits: scored, reader },
  ])
  expect(two[0]!.vector).toHaveLength(8)
})

test('counts a document that a list contains twice at its first position', () => {
  const [a, b] = scored
  const found = mergeHits([{ hits: [a!, b!, { ...a!, score: 1 }], reader }])
  expect(found.map(({ id, scores }) => [id, ...scores])).toEqual([
    [a!.id, 100],
    [b!.id, 99],
  ])
})

test('compares ids as strings, reverses distances, and keeps the types of hits of two stores', () => {
  const points = [
    { id: 7, score: 0.1, vector: [1, 0], payload: { body: 'bees' } },
    { id: 8, score: 0.3, vector: [0, 1], payload: { body: 'honey' } },
  ]
  const words = [{ _id: '8', _score: 12, _source: { body: 'honey' } }]
  const found = mergeHits([
    { hits: points, reader: qdrant({ text: 'body' }) },
    { hits: words, reader: elasticsearch({ text: 'body' }) },
  ])
  expectTypeOf(found[0]!.hits[0]).toEqualTypeOf<(typeof points)[number] | undefined>()
  expectTypeOf(found[0]!.hits[1]).toEqualTypeOf<(typeof words)[number] | undefined>()
  expect(found.map(({ id, scores, text }) => [id, scores, text])).toEqual([
    ['8', [-0.3, 12], 'honey'],
    ['7', [-0.1, undefined], 'bees'],
  ])
  expect(found[0]!.hits).toEqual([points[1], words[0]])
})

test('fetches only the vectors of the chosen hits', async () => {
  const lists = [scored.map(bare), scored.map(bare).reverse()]
  const found = mergeHits(lists.map((hits) => ({ hits, reader })))
  const statistics = termStatistics(hits.map(({ text }) => text))
  const settings = { contextSize: 20, preselect: 60 }
  const asked: string[] = []
  const better = await rerankFetched(query, found, merged(), {
    statistics,
    settings,
    vectors: async (chosen: MergedHit[]) => {
      asked.push(...chosen.map(({ id }) => id))
      return chosen.map(({ id }) => hits.find((hit) => hit.id === id)!.vector)
    },
  })
  const candidates = {
    texts: found.map(({ text }) => text!),
    scores: found.map(({ similarity }) => similarity),
  }
  const selection = new Selection(query, candidates, { ...settings, statistics })
  expect(asked).toEqual(Array.from(selection.chosen, (index) => found[index]!.id))
  expect(better).toHaveLength(60)
})

test('names wrong inputs', () => {
  expect(mergeHits([])).toEqual([])
  expect(() => mergeHits({ hits, reader } as never)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => mergeHits([hits] as never)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  expect(() => mergeHits([null] as never)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  expect(() => mergeHits([{ points: hits, reader }] as never)).toThrow('did you mean hits?')
  expect(() => mergeHits([{ hits }] as never)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => mergeHits([{ hits, reader: {} }])).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('hit 0') }),
  )
  const points = [{ vector: [1] }]
  expect(() => mergeHits([{ hits: points, reader: qdrant() }])).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('hit 0') }),
  )
})

test('keeps prepared texts of merged hits without titles', () => {
  const hits = [
    { id: 'honey', vector: [1, 0.1], text: prepareText('the price of honey') },
    { id: 'bees', vector: [1, 0.2], text: prepareText('bees find flowers by scent') },
  ]
  const reader = {
    id: ({ id }: (typeof hits)[0]) => id,
    vector: ({ vector }: (typeof hits)[0]) => vector,
    text: ({ text }: (typeof hits)[0]) => text as unknown as string,
  }
  const query = { vector: [1, 0.1], text: 'how do bees find flowers' }
  const list = [{ hits, reader }]
  const scores = rerankHits(query, mergeHits(list), merged()).map(({ score }) => score)
  expect(scores).toEqual(rerankHits(query, hits, reader).map(({ score }) => score))
})
