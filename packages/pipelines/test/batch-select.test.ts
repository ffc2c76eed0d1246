import { join } from 'node:path'
import { KithError, rerank, resolveMethodSettings } from '@kith/core'
import { openStore, type Store, type StoreFetchOptions } from '@kith/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import type { BatchQuery } from '../src/batches/batch-item.ts'
import { decodeRanking, rerankBatch } from '../src/batches/batch-rerank.ts'

const words = ['bees', 'wasps', 'ants', 'moths', 'beetles', 'flies', 'lice']
const documents = Array.from({ length: 260 }, (_, i) => ({
  id: `d${i}`,
  vector: Float32Array.from(
    { length: 6 },
    (_, j) => Math.sin(i * 7 + j * 3) + (i % 6 === j ? 1 : 0),
  ),
  text: `${words[i % 7]} ${words[(i * i) % 5]} of ${i % 3 ? 'the garden' : words[i % 4]}`,
}))
const vector = documents[5]!.vector.map((value, j) => value + j / 20)
const score = (own: Float32Array): number => own.reduce((sum, x, j) => sum + x * vector[j]!, 0)
const found = documents.toSorted((a, b) => score(b.vector) - score(a.vector))
const item: BatchQuery = {
  query: 'q',
  ids: found.map(({ id }) => id),
  scores: Float64Array.from(found, (document) => score(document.vector)),
  vector,
  text: { id: 'q', text: 'ants in the garden' },
}
const work = {
  settings: resolveMethodSettings(),
  missing: 'error',
  texts: true,
  statistics: true,
} as const

let store: Store
const fetched: [number, StoreFetchOptions | undefined][] = []
/** The store, which writes down how many documents it is asked for, and what of them. */
let watched: Store

beforeAll(async () => {
  store = await openStore(join(temporaryFolder(), 'lance'), { create: true })
  await store.add(documents)
  watched = Object.create(store, {
    dimensions: { value: 6 },
    fetch: {
      value(ids: readonly string[], options?: StoreFetchOptions) {
        fetched.push([ids.length, options])
        return store.fetch(ids, options)
      },
    },
  })
})
afterAll(() => store.close())

test('reads the texts of the first 200 and the vectors of 50 documents from the store', async () => {
  const statistics = await store.terms()
  const { bodies, missing } = await rerankBatch(watched, work, [item], { statistics })
  expect(fetched).toEqual([
    [200, { vectors: false }],
    [50, { texts: false }],
  ])
  expect(missing).toEqual([])
  const all = { vectors: found.map((own) => own.vector), texts: found.map((own) => own.text) }
  const { order } = rerank({ vector, text: item.text!.text }, all, { statistics })
  expect(decodeRanking(item, bodies[0]!).ids).toEqual(Array.from(order, (i) => found[i]!.id))
})

test('reads only the context without statistics', async () => {
  fetched.length = 0
  await rerankBatch(watched, { ...work, statistics: false }, [item], {})
  expect(fetched.map(([count]) => count)).toEqual([50, 50])
})

test('names the query with wrong data', async () => {
  const { scores: _, ...without } = item
  const statistics = await store.terms()
  await expect(rerankBatch(store, work, [without], { statistics })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('query q'),
  })
  const settings = { ...work.settings, tokenizer: 'plural' } as const
  const wrong = rerankBatch(store, { ...work, settings }, [item], { statistics })
  await expect(wrong).rejects.toThrow(KithError)
  await expect(wrong).rejects.toThrow(
    "query q: term statistics were built with tokenizer 'english'",
  )
})
