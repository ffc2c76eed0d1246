import { KithError, type Matrix, termStatistics } from '@kith/core'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Metric,
  openStore,
  type Store,
  type StoreDocument,
  searchExact,
} from '../src/index.ts'
import { rowOf, wholeNumbers } from './support.ts'

/** What the suite must know about a store. */
export interface StoreUnderTest {
  name: string
  /** The address of a new, empty store. */
  fresh(): string
  /** Whether it keeps texts. */
  texts: boolean
  /** A condition that holds for the documents `d0` and `d1` only; undefined where it has no filters. */
  filter: string | undefined
  /** Whether it has an approximate index. */
  approximate: boolean
}

const dimensions = 12
// Whole numbers: every order of summation gives the same score, in half precision too.
const matrix = wholeNumbers(400, dimensions, 1, 40)
const queries = wholeNumbers(7, dimensions, 2, 40)
const documents: StoreDocument[] = Array.from({ length: matrix.rows }, (_, row) => ({
  id: `d${row}`,
  vector: rowOf(matrix, row),
}))

/** Every store does the same things and finds what the exact search finds. */
export function conformance(store: StoreUnderTest): void {
  describe(store.name, () => {
    let address: string
    beforeEach(() => {
      address = store.fresh()
    })
    /** Opens the store, lets a function use it, and closes it. */
    const use = async <T>(body: (opened: Store) => Promise<T>, options = {}): Promise<T> => {
      const opened = await openStore(address, { create: true, ...options })
      try {
        return await body(opened)
      } finally {
        await opened.close()
      }
    }

    it('is refused after it was closed, and may be closed twice', async () => {
      const opened = await openStore(address, { create: true })
      await opened.add(documents.slice(0, 3))
      await opened[Symbol.asyncDispose]()
      await opened.close()
      const calls = [
        () => opened.count(),
        () => opened.search(queries, { top: 3 }),
        () => opened.fetch(['d0']),
        () => opened.terms(),
        () => opened.add(documents.slice(3, 4)),
        () => opened.replace(documents.slice(3, 4)),
        () => opened.remove(['d0']),
        ...(opened.index ? [() => opened.index!()] : []),
        ...(opened.textVectors ? [() => opened.textVectors!(['a'])] : []),
        ...(opened.searchWords ? [() => opened.searchWords!('a', { top: 3 })] : []),
      ]
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({
          code: 'CLOSED',
          message: expect.stringContaining('is used after it was closed'),
        })
      }
      await use(async (again) => expect(await again.count()).toBe(3))
    })

    it('is an error to read where it is not there, and opening it creates nothing', async () => {
      const absent = openStore(address)
      await expect(absent).rejects.toBeInstanceOf(KithError)
      await expect(absent).rejects.toThrow(/there is no (such|collection)/)
      await expect(openStore(address)).rejects.toThrow(/there is no (such|collection)/)
      await use((opened) => opened.add(documents.slice(0, 3)))
      const found = await openStore(address)
      expect(await found.count()).toBe(3)
      await found.close()
    })

    it('is empty at first', async () => {
      await use(async (opened) => {
        expect(await opened.count()).toBe(0)
        expect(await opened.fetch(['d0'])).toEqual([undefined])
        expect(await opened.terms()).toBeUndefined()
        expect(await opened.remove(['d0'])).toBe(0)
        const hits = await opened.search(queries, { top: 3 })
        expect(hits.map(({ ids }) => ids)).toEqual(Array(7).fill([]))
      })
    })

    it.each(['dot', 'cosine'] as const)('finds what exact search finds, %s', async (metric) => {
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

    it.runIf(store.texts)('finds the vectors of texts, as they change', async () => {
      const [a, b, c, d] = documents as [StoreDocument, StoreDocument, StoreDocument, StoreDocument]
      await use(async (opened) => {
        expect(await opened.textVectors!(['bees'])).toEqual([undefined])
        await opened.add([
          { ...a, title: 'Bees', text: "don't sting" },
          { ...b, title: '', text: 'wasps' },
          c,
          { ...d, text: 'wasps' },
        ])
      })
      const long = 'word '.repeat(20_000)
      const asked = ["Bees don't sting", 'wasps', "don't sting", 'wasps', '\0', '']
      await use(async (opened) => {
        const found = [a.vector, b.vector, undefined, b.vector, undefined, undefined]
        expect(await opened.textVectors!(asked)).toEqual(found)
        await opened.index!()
        expect(await opened.textVectors!(asked)).toEqual(found)
        await opened.replace([{ ...a, text: long }])
        await opened.remove([b.id])
        expect(await opened.textVectors!([...asked.slice(0, 2), long])).toEqual([
          ...[undefined, d.vector, a.vector],
        ])
        expect(await opened.textVectors!([])).toEqual([])
      })
    })

    it.runIf(store.texts)('keeps the metric it was made for, without an index', async () => {
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

    it('gives all documents where there are fewer than wanted', async () => {
      await use(async (opened) => {
        await opened.add(documents.slice(0, 3))
        const [hits] = await opened.search(queries, { top: 10 })
        expect(hits!.ids.toSorted()).toEqual(['d0', 'd1', 'd2'])
      })
    })

    it('keeps everything when it is opened again', async () => {
      await use((opened) => opened.add(documents))
      await use(async (opened) => {
        expect(opened.dimensions).toBe(dimensions)
        expect(await opened.count()).toBe(400)
        await expectExact(await opened.search(queries, { top: 5 }), matrix, 5, 'dot')
      })
    })

    it('keeps half precision', async () => {
      await use((opened) => opened.add(documents), { type: 'f16' })
      await use(async (opened) => {
        await opened.replace([{ id: 'third', vector: new Float32Array(dimensions).fill(1 / 3) }])
        const [third, d5] = await opened.fetch(['third', 'd5'])
        expect(third!.vector[0]).toBe(1365 / 4096)
        expect(d5!.vector).toEqual(documents[5]!.vector)
        await opened.remove(['third'])
        await expectExact(await opened.search(queries, { top: 30 }), matrix, 30, 'dot')
        const large = { id: 'large', vector: new Float32Array(dimensions).fill(70_000) }
        await expect(opened.add([large])).rejects.toThrow('too large for half precision')
      })
    })

    it('adds, replaces and removes', async () => {
      await use(async (opened) => {
        await opened.add(documents.slice(0, 10))
        await expect(opened.add([documents[10]!, documents[3]!])).rejects.toThrow(
          'the document "d3" is there already',
        )
        await expect(opened.add([documents[11]!, documents[11]!])).rejects.toThrow('"d11"')
        expect(await opened.count()).toBe(10)
        const moved = { id: 'd3', vector: documents[300]!.vector }
        await opened.replace([moved, documents[20]!])
        expect(await opened.count()).toBe(11)
        expect((await opened.fetch(['d3']))[0]!.vector).toEqual(moved.vector)
        expect(await opened.remove(['d0', 'd20', 'nobody'])).toBe(2)
        expect(await opened.count()).toBe(9)
        const found = await opened.fetch(['d20', 'd9', 'd0', 'd9'])
        expect(found.map((document) => document?.id)).toEqual([undefined, 'd9', undefined, 'd9'])
      })
      await use(async (opened) => {
        expect(await opened.count()).toBe(9)
        expect(await opened.remove(documents.map(({ id }) => id))).toBe(9)
        expect(await opened.count()).toBe(0)
      })
    })

    it('takes unusual ids as they are', async () => {
      const ids = [
        "O'Brien; DROP TABLE documents --",
        '"quoted" \\ back\\slash',
        '  spaces  ',
        'naïve 東京 🙂',
        'e\u0301 is not \u00e9',
        '%_{},[](*)$1',
        'null',
        '007',
        'x'.repeat(1000),
      ]
      await use(async (opened) => {
        await opened.add(ids.map((id, i) => ({ id, vector: documents[i]!.vector })))
        const [hits] = await opened.search(queries, { top: 100 })
        expect(hits!.ids.toSorted()).toEqual(ids.toSorted())
      })
      await use(async (opened) => {
        const found = await opened.fetch(ids)
        expect(found.map((document) => document?.id)).toEqual(ids)
        expect(await opened.remove(ids.slice(0, 4))).toBe(4)
      })
    })

    it.each([
      ['an empty id', { id: '' }, 'an id of 0 bytes'],
      ['a long id', { id: 'x'.repeat(1001) }, 'an id of 1001 bytes'],
      ['a line break', { id: 'a\nb' }, 'control characters'],
      ['half a character', { id: '\ud800' }, 'broken Unicode'],
      ['U+0000 in a text', { text: 'a\0b' }, 'document "d5": its text has the character U+0000'],
      ['half a character in a title', { title: 'a\udc00' }, 'its title has half of a surrogate'],
      ['another length', { vector: new Float32Array(5) }, '5 dimensions, the store has 12'],
      ['a NaN', { vector: new Float32Array(dimensions).fill(Number.NaN) }, 'column 0 is NaN'],
    ])('refuses %s', async (_, wrong, message) => {
      await use(async (opened) => {
        await opened.add(documents.slice(0, 2))
        const bad = { ...documents[5]!, ...wrong }
        await expect(opened.add([bad])).rejects.toThrow(message)
        await expect(opened.replace([bad])).rejects.toThrow(message)
        expect(await opened.count()).toBe(2)
      })
    })

    it('has no document with an id that it could not keep', async () => {
      await use(async (opened) => {
        // What half a character would be turned into on its way.
        await opened.add([{ ...documents[0]!, id: 'a\ufffd' }])
        expect(await opened.fetch(['a\0', 'a\ud800', 'a\ufffd'])).toEqual([
          undefined,
          undefined,
          { ...documents[0]!, id: 'a\ufffd' },
        ])
        expect(await opened.remove(['a\0', 'a\ud800'])).toBe(0)
      })
    })

    it('refuses queries that do not fit', async () => {
      await use(async (opened) => {
        await opened.add(documents.slice(0, 2))
        const short = wholeNumbers(1, 5, 3, 4)
        await expect(opened.search(short, { top: 3 })).rejects.toThrow(
          'queries have 5 dimensions, the store has 12',
        )
        await expect(opened.search(queries, { top: 0 })).rejects.toThrow('top is 0')
        const bad = { ...queries, data: new Float32Array(queries.data.length).fill(Infinity) }
        await expect(opened.search(bad, { top: 3 })).rejects.toThrow('query row 0, column 0')
      })
    })

    it.runIf(store.texts)('keeps texts', async () => {
      await use(async (opened) => {
        await opened.add([
          { ...documents[0]!, title: 'Title — é', text: 'line\n"two"\t🙂' },
          { ...documents[1]!, text: '' },
          documents[2]!,
        ])
        await opened.replace([{ ...documents[2]!, text: 'late' }])
      })
      await use(async (opened) => {
        expect(await opened.fetch(['d0', 'd1', 'd2'])).toEqual([
          { ...documents[0]!, title: 'Title — é', text: 'line\n"two"\t🙂' },
          { ...documents[1]!, text: '' },
          { ...documents[2]!, text: 'late' },
        ])
      })
    })

    it('fetches only what is wanted', async () => {
      const [first, second] = documents as [StoreDocument, StoreDocument]
      const texts = store.texts ? { title: 'Title', text: 'text' } : {}
      await use(async (opened) => {
        await opened.add([{ ...first, ...texts }, second])
        const none = new Float32Array(0)
        expect(await opened.fetch(['d1', 'no', 'd0'], { vectors: false })).toEqual([
          { id: 'd1', vector: none },
          undefined,
          { id: 'd0', vector: none, ...texts },
        ])
        expect(await opened.fetch(['d1', 'd0'], { texts: false })).toEqual([second, first])
        const bare = await opened.fetch(['d0'], { texts: false, vectors: false })
        expect(bare).toEqual([{ id: 'd0', vector: none }])
      })
    })

    it('has no term statistics without texts', async () => {
      await use(async (opened) => {
        await opened.add(documents.slice(0, 3))
        expect(await opened.terms()).toBeUndefined()
      })
    })

    it.runIf(store.texts)('counts the terms of the texts that it has', async () => {
      const [d0, d1, d2, d3] = documents as [
        ...[StoreDocument, StoreDocument, StoreDocument, StoreDocument],
      ]
      const told: unknown[] = []
      await use(async (opened) => {
        await opened.add([
          { ...d0, title: 'Bees', text: 'bees and wasps' },
          { ...d1, text: 'a wasp' },
          d2,
        ])
        expect(await opened.terms()).toEqual(termStatistics(['Bees bees and wasps', 'a wasp']))
        await opened.add([{ ...d3, text: 'ants' }])
        const three = termStatistics(['Bees bees and wasps', 'a wasp', 'ants'])
        expect(await opened.terms()).toEqual(three)
        // Nothing of an addition that is refused counts.
        await expect(opened.add([{ ...d1, text: 'moths' }])).rejects.toThrow('is there already')
        expect(await opened.terms()).toEqual(three)
        expect(await opened.remove(['nobody'])).toBe(0)
        expect(await opened.terms()).toEqual(three)
      })
      await use(async (opened) => {
        // A text in the place of another, of none, by none, and a new one.
        const four = [{ ...d0, text: 'ants' }, { ...d2, text: 'wasps' }, d3]
        await opened.replace([...four, { ...documents[4]!, text: 'bees' }])
        expect(await opened.terms()).toEqual(termStatistics(['ants', 'a wasp', 'wasps', 'bees']))
        await opened.replace(four)
        expect(await opened.remove(['d2', 'd3', 'd2', 'nobody'])).toBe(2)
        told.push(await opened.terms())
        expect(told[0]).toEqual(termStatistics(['ants', 'a wasp', 'bees']))
      })
      await use(async (opened) => {
        expect(await opened.terms()).toEqual(told[0])
        await opened.remove(['d0', 'd1', 'd4'])
        expect(await opened.terms()).toBeUndefined()
        await opened.add([{ ...d1, text: 'a wasp' }])
        expect(await opened.terms()).toEqual(termStatistics(['a wasp']))
      })
    })

    it.runIf(store.texts)(
      'finds documents by their words once it has an index of them',
      async () => {
        const texts = [
          'honey of bees',
          'The price of HONEY',
          'wasps',
          'a hive',
          "O'Brien's \\ 'hive' & | !",
        ]
        await use(async (opened) => {
          await opened.add(documents.slice(0, 4).map((one, i) => ({ ...one, text: texts[i]! })))
          expect(await opened.searchWords!('bee', { top: 3 })).toEqual([])
          await opened.index!()
          expect(await opened.searchWords!('the honey bee', { top: 3 })).toEqual(['d0', 'd1'])
          expect(await opened.searchWords!('the honey bee', { top: 1 })).toEqual(['d0'])
          for (const nothing of ['', 'the', 'moth', "' | ! & :* <-> \\ \0"]) {
            expect(await opened.searchWords!(nothing, { top: 3 })).toEqual([])
          }
        })
        await use(async (opened) => {
          await opened.add([{ ...documents[4]!, title: 'Moths', text: texts[4]! }, documents[5]!])
          await opened.remove(['d3'])
          const found = ["brien's", '"hives" \\ &', 'a moth']
          for (const words of found) {
            expect(await opened.searchWords!(words, { top: 9 })).toEqual(['d4'])
          }
          expect(await opened.searchWords!('bee', { top: 9 })).toEqual(['d0'])
        })
      },
    )

    it.runIf(store.texts)('reads statistics that another program changed', async () => {
      await use(async (opened) => {
        await opened.add([{ ...documents[0]!, text: 'bees' }])
        expect((await opened.terms())!.documents).toBe(1)
        await use((other) => other.add([{ ...documents[1]!, text: 'wasps' }]))
        expect(await opened.terms()).toEqual(termStatistics(['bees', 'wasps']))
      })
    })

    it.runIf(store.filter !== undefined)('filters', async () => {
      await use(async (opened) => {
        await opened.add(documents)
        const [hits] = await opened.search(queries, { top: 10, filter: store.filter })
        expect(hits!.ids.toSorted()).toEqual(['d0', 'd1'])
      })
    })

    it.runIf(store.approximate)(
      'has an index that finds nearly all, with exact scores',
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
  })
}

/** Points around 60 centers: embeddings have such a structure, without which no index helps. */
function clustered(rows: number, seed: number): Matrix {
  const centers = wholeNumbers(60, 32, 4, 20)
  const { data } = wholeNumbers(rows, 32, seed, 20)
  const at = (i: number): number => ((i >> 5) % 60) * 32 + (i & 31)
  return { data: data.map((value, i) => value + 2 * centers.data[at(i)]!), rows, dimensions: 32 }
}

/** Hits are the exact ones; among equal scores any order will do. */
async function expectExact(
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
