import { termStatistics } from '@kith/core'
import { expect, it } from 'vitest'
import type { StoreDocument } from '../src/index.ts'
import { documents, type StoreInUse } from './store-under-test.ts'

/** A store keeps texts and counts their terms. */
export function keepsTexts({ store, use }: StoreInUse): void {
  it.runIf(store.texts)('keeps texts and titles', async () => {
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

  it('fetches only the requested parts', async () => {
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

  it.runIf(store.texts)('finds the vectors of texts, also after changes', async () => {
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

  it.runIf(store.texts)('counts the terms of its texts', async () => {
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
      await expect(opened.add([{ ...d1, text: 'moths' }])).rejects.toMatchObject({
        code: 'BAD_INPUT',
      })
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

  it.runIf(store.texts)('finds documents by their words once it has a word index', async () => {
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
  })

  it.runIf(store.texts)('reads statistics that another program has changed', async () => {
    await use(async (opened) => {
      await opened.add([{ ...documents[0]!, text: 'bees' }])
      expect((await opened.terms())!.documents).toBe(1)
      await use((other) => other.add([{ ...documents[1]!, text: 'wasps' }]))
      expect(await opened.terms()).toEqual(termStatistics(['bees', 'wasps']))
    })
  })
}
