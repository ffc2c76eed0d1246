import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { background } from '@kith/core'
import { writeEmbeddings } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { backgroundBeside, backgroundFile } from '../src/search/background.ts'

test('reports a background of other documents, and refuses one of another model', async () => {
  const docs = join(temporaryFolder(), 'docs.npy')
  const ids = Array.from({ length: 6 }, (_, i) => `d${i}`)
  const data = Float32Array.from({ length: 6 * 4 }, (_, i) => Math.sin(i * i + 1))
  await writeEmbeddings(docs, { dimensions: 4, ids }, [data])
  expect(await backgroundBeside(docs, { rows: 6, dimensions: 4 })).toBeUndefined()
  const known = background({ data, rows: 6, dimensions: 4 })
  writeFileSync(backgroundFile(docs), JSON.stringify(known))
  expect(await backgroundBeside(docs, { rows: 6, dimensions: 4 })).toEqual(known)
  await expect(backgroundBeside(docs, { rows: 6, dimensions: 8 })).rejects.toThrow(
    /has vectors of 4 dimensions, .*docs\.npy has 8; make it again: kith background --docs/,
  )
  const warned = new Promise<Error>((done) => process.once('warning', done))
  expect(await backgroundBeside(docs, { rows: 7, dimensions: 4 })).toBeUndefined()
  expect((await warned).message).toMatch(/is of 6 documents, .*docs\.npy has 7: relevance is not/)
})
