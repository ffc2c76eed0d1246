import { background, recency, shortlist } from '@kith/core'
import { expect, test } from 'vitest'
import { merged, mergeHits, type Reader, rerankFetched, rerankHits } from '../src/index.ts'
import { sampleHits } from './hits.ts'

const { query, hits, vectors, texts } = sampleHits(60)
type Hit = (typeof hits)[number]
const reader: Reader<Hit> = {
  id: ({ id }) => id,
  vector: ({ vector }) => vector,
  text: ({ text }) => text,
}
const known = background(vectors)
const first = { vectors: vectors.slice(0, 50), texts: texts.slice(0, 50) }

test('returns the similarity of each hit, and with a background the relevance', () => {
  const list = shortlist(query, first, { background: known })
  const better = rerankHits(query, hits, reader, { background: known })
  expect(better.slice(0, 50)).toEqual(
    list.hits.map(({ index, score, similarity, relevance }) => {
      return { hit: hits[index], index, score, similarity, relevance }
    }),
  )
  expect(better[0]!.relevance).toBeGreaterThan(0)
  expect(better[20]!.relevance).toBeUndefined()
  // Behind the context nothing is known, and the order stays.
  expect(better.slice(50).map(({ index, similarity }) => [index, similarity])).toEqual(
    Array.from({ length: 10 }, (_, i) => [50 + i, undefined]),
  )
  const plain = rerankHits(query, hits, reader)
  expect(plain.map(({ score }) => score)).toEqual(better.map(({ score }) => score))
  expect(plain.every(({ relevance }) => relevance === undefined)).toBe(true)
  expect(plain[0]!.similarity).toBe(better[0]!.similarity)
})

test('keeps the best hits up to the cutoff, also of merged lists and of fetched vectors', async () => {
  const options = { background: known, cutoff: 'auto' } as const
  const { hits: kept } = shortlist(query, first, options)
  expect(kept.length).toBeLessThan(first.texts.length)
  const ids = kept.map(({ index }) => hits[index]!.id)
  expect(rerankHits(query, hits, reader, options).map(({ hit }) => hit.id)).toEqual(ids)
  const both = mergeHits([{ hits, reader }])
  expect(rerankHits(query, both, merged(), options).map(({ hit }) => hit.id)).toEqual(ids)
  const fetched = await rerankFetched(query, hits, reader, {
    ...options,
    vectors: async (chosen) => chosen.map(({ vector }) => vector),
  })
  expect(fetched.map(({ hit }) => hit.id)).toEqual(ids)
  const least = rerankHits(query, hits, reader, {
    background: known,
    cutoff: { relevance: kept.at(-1)!.relevance! },
  })
  expect(least.every(({ relevance }) => relevance! >= kept.at(-1)!.relevance!)).toBe(true)
  expect(() => rerankHits(query, hits, reader, { cutoff: 'auto' })).toThrow('background(vectors)')
  expect(() => rerankHits(query, hits, reader, { minScore: 1 } as object)).toThrow(
    'option of rerankHits minScore does not exist, because scores only compare the hits of one query; pass cutoff: { relevance: 0.5 }',
  )
})

test('returns no hits for a query that is off topic', () => {
  const off = { vector: query.vector.map((value) => -value), text: 'xyzzy plugh' }
  const options = { background: known, onTopic: 0.5 }
  expect(rerankHits(off, hits, reader, options)).toEqual([])
})

test('keeps one hit per group, collapses duplicates, and adds a prior', () => {
  const group = ({ text }: Hit) => text.split(',')[0]
  const grouped = rerankHits(query, hits, reader, { group })
  expect(grouped).toHaveLength(3)
  expect(new Set(grouped.map(({ hit }) => group(hit))).size).toBe(3)
  expect(grouped.flatMap(({ hit, others }) => [hit, ...others!])).toHaveLength(50)
  const copies = [hits[0]!, { ...hits[0]!, id: 'copy' }, ...hits.slice(1, 30)]
  const folded = rerankHits(query, copies, reader, { collapse: 0.999999 })
  expect(folded.find(({ hit }) => hit.id === hits[0]!.id)!.duplicates!.map(({ id }) => id)).toEqual(
    ['copy'],
  )
  const [newest] = recency([Date.now()], { halfLife: 30 })
  const chosen = hits[40]!.id
  const boosted = rerankHits(query, hits, reader, {
    prior: ({ id }) => (id === chosen ? newest : 0),
    priorWeight: 10,
  })
  expect(boosted[0]!.hit.id).toBe(chosen)
})
