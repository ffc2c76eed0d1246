import { join } from 'node:path'
import { termStatistics } from '@kith/core'
import { connect } from '@lancedb/lancedb'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres, run } from '../../../test/postgres.ts'
import { openStore, type StoreDocument } from '../src/index.ts'

const folder = temporaryFolder()
const vector = Float32Array.of(1, 2)
const texts = Array.from({ length: 40 }, (_, i) => `word${i % 7} word${i % 3} number${i}`)
const documents: StoreDocument[] = texts.map((text, i) => ({ id: `d${i}`, vector, text }))

/** Documents that come until something goes wrong. */
function* failing(some: readonly StoreDocument[]): Generator<StoreDocument> {
  yield* some
  throw new Error('the disk is gone')
}

describe('term statistics in LanceDB', () => {
  it('are missing after a load that failed halfway, and the next load counts once', async () => {
    const store = await openStore(join(folder, 'failed'), { create: true })
    // So long that two documents are a batch.
    const long = new Float32Array(2 ** 20)
    const five = documents.slice(0, 5).map((document) => ({ ...document, vector: long }))
    await store.add(five.slice(0, 1))
    await expect(store.replace(failing(five.slice(0, 3)))).rejects.toThrow('the disk is gone')
    expect(await store.count()).toBe(2)
    expect(await store.terms()).toBeUndefined()
    await store.replace(five)
    expect(await store.terms()).toEqual(termStatistics(texts.slice(0, 5)))
    await store.close()
  })

  it('are counted again if there are none, or if others changed documents', async () => {
    const place = join(folder, 'old')
    const store = await openStore(`${place}#here`, { create: true })
    await store.add(documents.slice(0, 10))
    const connection = await connect(place)
    expect(await connection.tableNames()).toEqual(['here', 'here.terms'])
    await connection.dropTable('here.terms')
    expect(await store.terms()).toBeUndefined()
    await store.add(documents.slice(10, 12))
    expect(await store.terms()).toEqual(termStatistics(texts.slice(0, 12)))
    const table = await connection.openTable('here')
    await table.delete("id = 'd0'")
    expect(await store.terms()).toBeUndefined()
    await store.remove(['d1'])
    expect(await store.terms()).toEqual(termStatistics(texts.slice(2, 12)))
    await store.close()
  })
})

describe.runIf(postgres)('term statistics in PostgreSQL', () => {
  const database = emptyDatabase()

  it('stay as before if a load fails', async () => {
    const store = await openStore(`${database.url}#failed`, { create: true })
    await store.add(documents.slice(0, 5))
    await expect(store.replace(failing(documents.slice(3, 9)))).rejects.toThrow('the disk is gone')
    expect(await store.terms()).toEqual(termStatistics(texts.slice(0, 5)))
    await store.close()
  })

  it('count each document once when several programs change them at the same time', async () => {
    const address = `${database.url}#crowd`
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(address, { create: true })))
    await stores[0]!.add(documents.slice(0, 1))
    await Promise.all(stores.map((store, i) => store.add(documents.slice(1 + i * 5, 6 + i * 5))))
    expect(await stores[1]!.terms()).toEqual(termStatistics(texts.slice(0, 21)))
    // All replace old documents and add the same new ones; one of them wins.
    await Promise.all(
      stores.map((store, i) =>
        store.replace(
          documents.slice(10).map((document) => ({ ...document, text: `${document.text} by${i}` })),
        ),
      ),
    )
    const now = await stores[2]!.fetch(documents.map(({ id }) => id))
    expect(await stores[2]!.terms()).toEqual(termStatistics(now.map((found) => found!.text!)))
    await Promise.all(stores.map((store) => store.remove(['d3', 'd4'])))
    expect((await stores[3]!.terms())!.documents).toBe(38)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('are counted again if there are none, or if they do not match the texts', async () => {
    const before = await openStore(`${database.url}#old`, { create: true })
    await before.add(documents.slice(0, 10))
    await before.close()
    // The tables of a version that did not count.
    const version = "UPDATE kith.versions SET version = 1 WHERE part = 'stores'"
    await run(database.url, `DROP TABLE kith.terms; ${version}`)
    const store = await openStore(`${database.url}#old`, { create: true })
    expect(await store.terms()).toBeUndefined()
    await store.add(documents.slice(10, 12))
    expect(await store.terms()).toEqual(termStatistics(texts.slice(0, 12)))
    await run(database.url, "UPDATE kith.documents_old SET text = 'unheard' WHERE id = 'd0'")
    await store.remove(['d0'])
    expect(await store.terms()).toEqual(termStatistics(texts.slice(1, 12)))
    await store.close()
  })

  it('are refused if they are damaged', async () => {
    const store = await openStore(`${database.url}#damaged`, { create: true })
    await store.add(documents.slice(0, 3))
    await run(database.url, "UPDATE kith.terms SET version = gen_random_uuid(), statistics = 'x'")
    await expect(store.terms()).rejects.toThrow('kith.terms')
    await store.close()
  })
})
