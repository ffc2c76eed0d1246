import { background } from '@kith/core'
import { expect, it } from 'vitest'
import { documents, type StoreInUse } from './store-under-test.ts'
import { wholeNumbers } from './support.ts'

/** A store makes a background of its documents, and keeps it. */
export function keepsBackground({ store, use }: StoreInUse): void {
  it.runIf(store.texts)('makes a background from a seeded sample, and keeps it', async () => {
    await use(async (opened) => {
      expect(await opened.background!()).toBeUndefined()
      await opened.add(documents)
      await expect(opened.makeBackground!({ sample: 1 })).rejects.toMatchObject({
        code: 'BAD_SETTING',
      })
      const few = await opened.makeBackground!({ sample: 30 })
      expect(few).not.toEqual(await opened.makeBackground!({ sample: 30, seed: 1 }))
      expect(few).toEqual(await opened.makeBackground!({ sample: 30 }))
      await opened.makeBackground!()
    })
    // All documents are in the sample: the figures are those of the core.
    const exact = background(documents.map(({ vector }) => vector))
    await use(async (opened) => {
      const kept = (await opened.background!())!
      expect(kept).toMatchObject({ documents: 400, dimensions: 12 })
      expect(kept.pairs.mean).toBeCloseTo(exact.pairs.mean, 6)
      expect(kept.pairs.deviation).toBeCloseTo(exact.pairs.deviation, 6)
      // Half of the sample is compared, and the halves differ.
      expect(Math.abs(kept.nearest.mean - exact.nearest.mean)).toBeLessThan(0.02)
      // Of fewer than half of the documents it says nothing.
      await opened.remove(documents.slice(0, 150).map(({ id }) => id))
      expect(await opened.background!()).toEqual(kept)
      await opened.remove(documents.slice(150, 250).map(({ id }) => id))
      expect(await opened.background!()).toBeUndefined()
    })
  })

  it.runIf(store.texts)('refuses a background of fewer than two documents', async () => {
    await use(async (opened) => {
      await expect(opened.makeBackground!()).rejects.toMatchObject({ code: 'BAD_INPUT' })
      await opened.add(documents.slice(0, 1))
      await expect(opened.makeBackground!()).rejects.toMatchObject({ code: 'BAD_INPUT' })
    })
  })

  it('finds the same for many queries in one call as for one query after the other', async () => {
    await use(async (opened) => {
      await opened.add(documents)
      const many = wholeNumbers(9, 12, 5, 40)
      const together = await opened.search(many, { top: 25 })
      for (const [q, hits] of together.entries()) {
        const data = many.data.subarray(q * 12, (q + 1) * 12)
        const [alone] = await opened.search({ data, rows: 1, dimensions: 12 }, { top: 25 })
        expect(hits.scores).toEqual(alone!.scores)
        expect(hits.vectors).toHaveLength(25 * 12)
        expect(hits.ids.toSorted()).toEqual(alone!.ids.toSorted())
      }
    })
  })
}
