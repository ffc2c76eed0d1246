import { KithError } from '@kith/core'
import { expect, it } from 'vitest'
import { openStore } from '../src/index.ts'
import { expectExact } from './conformance-search.ts'
import { dimensions, documents, matrix, queries, type StoreInUse } from './store-under-test.ts'

/** A store opens and closes, and keeps the documents that it is given. */
export function keepsDocuments({ at, use }: StoreInUse): void {
  it('throws if used after close, and may be closed twice', async () => {
    const opened = await openStore(at.address, { create: true })
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

  it('throws if it does not exist, and opening creates nothing', async () => {
    const absent = openStore(at.address)
    await expect(absent).rejects.toBeInstanceOf(KithError)
    await expect(absent).rejects.toThrow(/there is no (such|collection)/)
    await expect(openStore(at.address)).rejects.toThrow(/there is no (such|collection)/)
    await use((opened) => opened.add(documents.slice(0, 3)))
    const found = await openStore(at.address)
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
      await expect(opened.add([large])).rejects.toMatchObject({ code: 'BAD_VECTOR' })
    })
  })

  it('adds, replaces and removes documents', async () => {
    await use(async (opened) => {
      await opened.add(documents.slice(0, 10))
      await expect(opened.add([documents[10]!, documents[3]!])).rejects.toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringContaining('"d3"'),
      })
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

  it('keeps unusual ids unchanged', async () => {
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
    ['an empty id', { id: '' }, 'got 0'],
    ['a long id', { id: 'x'.repeat(1001) }, 'got 1001'],
    ['a line break', { id: 'a\nb' }, 'control characters'],
    ['half a character', { id: '\ud800' }, 'invalid Unicode'],
    ['U+0000 in a text', { text: 'a\0b' }, 'document "d5": the text contains the character U+0000'],
    ['half a character in a title', { title: 'a\udc00' }, 'the title contains half of a surrogate'],
    ['another length', { vector: new Float32Array(5) }, '5 dimensions, but the store has 12'],
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

  it('finds no document by an id that it could not store', async () => {
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
}
