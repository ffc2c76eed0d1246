import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KithError } from '@kith/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { onSmallDisk, smallDisks } from '../../../test/small-disk.ts'
import { openStore, type Store, type StoreDocument } from '../src/index.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const documents: StoreDocument[] = Array.from({ length: 2000 }, (_, i) => ({
  id: `d${i}`,
  vector: Float32Array.from({ length: 16 }, (_, j) => Math.sin(i * 16 + j)),
  text: `text ${i}`,
}))
const queries = { data: documents[0]!.vector, rows: 1, dimensions: 16 }

beforeAll(async () => {
  await using store = await openStore(path('whole'), { create: true })
  await store.add(documents)
  await store.index!()
})

/** Everything that a store is asked, with the changes last. */
const calls: ((store: Store) => Promise<unknown>)[] = [
  (store) => store.count(),
  (store) => store.search(queries, { top: 3 }),
  (store) => store.fetch(['d1']),
  (store) => store.terms(),
  (store) => store.searchWords!('text', { top: 3 }),
  (store) => store.replace(documents.slice(0, 3)),
  (store) => store.remove(['d5']),
  (store) => store.index!(),
]

/** The errors that opening a store or asking it ends in. */
async function errorsOf(address: string): Promise<KithError[]> {
  const errors: unknown[] = []
  try {
    await using store = await openStore(address)
    for (const call of calls) await call(store).catch((error: unknown) => errors.push(error))
  } catch (error) {
    errors.push(error)
  }
  for (const error of errors) expect(error).toBeInstanceOf(KithError)
  return errors as KithError[]
}

/** Every file of the store, in a copy that is damaged in one of them. */
const files = (): string[] =>
  readdirSync(path('whole'), { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const damages: [string, (file: string) => void][] = [
  ['cut in the middle', (file) => truncateSync(file, readFileSync(file).length >> 1)],
  ['missing', (file) => rmSync(file)],
  ['of zeros', (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length))],
  [
    'with another footer, over which LanceDB panics',
    (file) => {
      const bytes = readFileSync(file)
      const end = bytes.length - 8
      for (let at = Math.max(0, end - 52); at < end; at++) bytes[at]! ^= 0xff
      writeFileSync(file, bytes)
    },
  ],
]

describe('LanceDB’s errors become KithErrors with the store, one line and the cause', () => {
  it.each(damages)('for a file %s', async (_, damage) => {
    let said = 0
    for (const file of files()) {
      rmSync(path('damaged'), { recursive: true, force: true })
      cpSync(path('whole'), path('damaged'), { recursive: true })
      damage(file.replace(path('whole'), path('damaged')))
      for (const { message, cause } of await errorsOf(path('damaged'))) {
        expect(message).toContain(path('damaged'))
        expect(message).not.toMatch(/\n|\.rs:|Caused by|GenericFailure/)
        if (cause) said++
      }
    }
    expect(said).toBeGreaterThan(0)
  })

  it.runIf(smallDisks)('for a full disk', async () => {
    await onSmallDisk(path('full'), '64k', async () => {
      await using store = await openStore(path('full/store'), { create: true })
      await expect(store.add(documents)).rejects.toMatchObject({
        code: 'BAD_FILE',
        message: `${path('full/store')}#main: there is no space left on the disk`,
        cause: expect.any(Error),
      })
    })
  })

  it.runIf(smallDisks)('for a read-only disk, where reading still works', async () => {
    await onSmallDisk(path('frozen'), '16m', async ({ freeze }) => {
      cpSync(path('whole'), path('frozen/store'), { recursive: true })
      freeze()
      const errors = await errorsOf(path('frozen/store'))
      expect(errors.map(({ message }) => message)).toEqual(
        Array(3).fill(`${path('frozen/store')}#main: its disk is read-only`),
      )
      await expect(openStore(path('frozen/new'), { create: true })).rejects.toMatchObject({
        code: 'BAD_FILE',
        message: expect.stringContaining(path('frozen/new')),
      })
    })
  })

  it('for a file in place of the folder', async () => {
    writeFileSync(path('file'), '')
    for (const address of [path('file#main'), path('file/below')]) {
      await expect(openStore(address, { create: true })).rejects.toMatchObject({
        code: 'BAD_FILE',
        message: expect.stringContaining('a part of its path is a file, not a folder'),
      })
    }
    await expect(openStore(path('file#main'))).rejects.toThrow('a LanceDB store is a folder')
    await expect(openStore(path('file/below'))).rejects.toThrow('there is no such folder')
  })

  it('for a filter that is not SQL', async () => {
    await using store = await openStore(path('whole'))
    const search = store.search(queries, { top: 3, filter: 'id = (' })
    await expect(search).rejects.toThrow(/whole#main: LanceDB failed: .*parser error/)
    const unknown = store.search(queries, { top: 3, filter: 'year > 1990' })
    await expect(unknown).rejects.toThrow(/LanceDB failed: .*year/)
    await expect(unknown).rejects.not.toThrow(/damaged/)
  })
})
