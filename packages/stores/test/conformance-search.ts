import type { Matrix } from '@kith/core'
import { expect, it } from 'vitest'
import { type Metric, type Store, searchExact } from '../src/index.ts'
import { documents, matrix, queries, type StoreInUse } from './store-under-test.ts'
import { rowOf, wholeNumbers } from './support.ts'

/** A store finds what the exact search finds. */
export function findsDocuments({ store, use }: StoreInUse): void {
  it.each(['dot', 'cosine'] as const)('finds the documents of exact search, %s', async (metric) => {
    await use(async (opened) => {
      await opened.add(documents)
      expect(await opened.count()).toBe(400)
      const hits = await opened.search(queries, { top: 30, metric })
      await expectExact(hits, matrix, 30, metric)
      const [first] = hits
      const vectors = await opened.fetch(first!.ids)
      expect(first!.vectors).toEqual(
        Float32Array.from(vectors.flatMap((document) => [...document!.vector])),
      )
      const bare = await opened.search(queries, { top: 30, metric, vectors: false })
      expect(bare.map(({ ids }) => ids)).toEqual(hits.map(({ ids }) => ids))
      expect(bare[0]!.vectors).toHaveLength(0)
    })
  })

  it.runIf(store.texts)('keeps the metric of its creation, without an index', async () => {
    await use((opened) => opened.add(documents.slice(0, 200)), { metric: 'cosine' })
    await use(async (opened) => {
      await opened.replace(documents)
      await opened.remove(['d0'])
      await opened.add(documents.slice(0, 1))
      await opened.index!()
    })
    await use(async (opened) => {
      expect(opened.metric).toBe('cosine')
      await expectExact(await opened.search(queries, { top: 5 }), matrix, 5, 'cosine')
    })
  })

  it('returns all documents if there are fewer than requested', async () => {
    await use(async (opened) => {
      await opened.add(documents.slice(0, 3))
      const [hits] = await opened.search(queries, { top: 10 })
      expect(hits!.ids.toSorted()).toEqual(['d0', 'd1', 'd2'])
    })
  })

  it('refuses wrong queries', async () => {
    await use(async (opened) => {
      await opened.add(documents.slice(0, 2))
      const short = wholeNumbers(1, 5, 3, 4)
      await expect(opened.search(short, { top: 3 })).rejects.toMatchObject({ code: 'BAD_SHAPE' })
      await expect(opened.search(queries, { top: 0 })).rejects.toMatchObject({
        code: 'BAD_SETTING',
      })
      const bad = { ...queries, data: new Float32Array(queries.data.length).fill(Infinity) }
      await expect(opened.search(bad, { top: 3 })).rejects.toMatchObject({
        code: 'BAD_VECTOR',
        message: expect.stringContaining('row 0'),
      })
    })
  })

  it.runIf(store.filter !== undefined)('applies a filter', async () => {
    await use(async (opened) => {
      await opened.add(documents)
      const [hits] = await opened.search(queries, { top: 10, filter: store.filter })
      expect(hits!.ids.toSorted()).toEqual(['d0', 'd1'])
    })
  })

  it.runIf(store.approximate)(
    'finds nearly all documents with an index, with exact scores',
    async () => {
      const many = clustered(6000, 5)
      const asked = clustered(50, 6)
      await use(async (opened) => {
        const list = Array.from({ length: 6000 }, (_, i) => ({
          id: `d${i}`,
          vector: rowOf(many, i),
        }))
        await opened.add(list)
        await opened.index!()
        for (const filter of [undefined, store.filter]) {
          const found = await opened.search(asked, { top: 20, filter })
          if (filter === undefined) expect(await recall(found, asked, many)).toBeGreaterThan(0.95)
          else for (const { ids } of found) expect(ids.toSorted()).toEqual(['d0', 'd1'])
          const { ids, scores } = found[3]!
          expect(scores).toEqual(scoresOf(rowOf(asked, 3), many, ids))
        }
        const exact = await opened.search(asked, { top: 20, exact: true })
        expect(await recall(exact, asked, many)).toBe(1)
        // What came after the index was built is found too.
        const query = rowOf(asked, 0)
        await opened.add([{ id: 'new', vector: query.map((value) => value * 9) }])
        expect((await opened.search(asked, { top: 1 }))[0]!.ids).toEqual(['new'])
      })
      await use(async (opened) => {
        const found = await opened.search(asked, { top: 20 })
        expect(await recall(found, asked, many)).toBeGreaterThan(0.9)
      })
    },
  )
}

/** Points around 60 centers: embeddings have such a structure, without which no index helps. */
function clustered(rows: number, seed: number): Matrix {
  const centers = wholeNumbers(60, 32, 4, 20)
  const { data } = wholeNumbers(rows, 32, seed, 20)
  const at = (i: number): number => ((i >> 5) % 60) * 32 + (i & 31)
  return { data: data.map((value, i) => value + 2 * centers.data[at(i)]!), rows, dimensions: 32 }
}

/** Hits are the exact ones; among equal scores any order will do. */
export async function expectExact(
  hits: Awaited<ReturnType<Store['search']>>,
  all: Matrix,
  top: number,
  metric: Metric,
): Promise<void> {
  const memory = { rows: all.rows, dimensions: all.dimensions, memory: all.data }
  const exact = await searchExact(queries, memory, { top, metric, workers: 0 })
  hits.forEach(({ ids, scores }, q) => {
    const wanted = exact.scores.subarray(q * top, (q + 1) * top)
    expect(ids).toHaveLength(top)
    scores.forEach((score, i) => {
      expect(Math.abs(score - wanted[i]!)).toBeLessThanOrEqual(metric === 'dot' ? 0 : 1e-6)
    })
    const unique = ids.filter((_, i) => wanted[i]! > wanted.at(-1)! + 1e-5)
    const rows = [...exact.rows.subarray(q * top, (q + 1) * top)].map((row) => `d${row}`)
    expect(new Set(unique)).toEqual(new Set(rows.slice(0, unique.length)))
  })
}

async function recall(
  hits: Awaited<ReturnType<Store['search']>>,
  asked: Matrix,
  all: Matrix,
): Promise<number> {
  const memory = { rows: all.rows, dimensions: all.dimensions, memory: all.data }
  const { rows, perQuery } = await searchExact(asked, memory, { top: 20, workers: 0 })
  let found = 0
  hits.forEach(({ ids }, q) => {
    const wanted = new Set([...rows.subarray(q * perQuery, (q + 1) * perQuery)].map((r) => `d${r}`))
    found += ids.filter((id) => wanted.has(id)).length
  })
  return found / rows.length
}

function scoresOf(query: Float32Array, all: Matrix, ids: readonly string[]): Float32Array {
  return Float32Array.from(ids, (id) =>
    rowOf(all, Number(id.slice(1))).reduce((sum, value, i) => sum + value * query[i]!, 0),
  )
}
