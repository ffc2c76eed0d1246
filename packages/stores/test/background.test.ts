import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { background } from '@kith/core'
import { writeEmbeddings } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openStore } from '../src/index.ts'
import { backgroundBeside, backgroundFile } from '../src/search/background.ts'

test('a background of other documents, other dimensions or another model is left out, with a warning', async () => {
  const docs = join(temporaryFolder(), 'docs.npy')
  const ids = Array.from({ length: 6 }, (_, i) => `d${i}`)
  const data = Float32Array.from({ length: 6 * 4 }, (_, i) => Math.sin(i * i + 1))
  await writeEmbeddings(docs, { dimensions: 4, ids }, [data])
  const beside = (rows = 6, dimensions = 4) => backgroundBeside(docs, { rows, dimensions })
  expect(await beside()).toBeUndefined()
  const known = background({ data, rows: 6, dimensions: 4 }, { model: 'minilm' })
  expect(known.model).toBe('minilm')
  writeFileSync(backgroundFile(docs), JSON.stringify(known))
  const sidecar = (model: string) =>
    writeFileSync(`${docs}.meta.json`, JSON.stringify({ settings: { model } }))
  expect(await beside()).toEqual(known)
  sidecar('models/minilm')
  expect(await beside()).toEqual(known)
  const warnings: string[] = []
  const listen = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`)
  process.on('warning', listen)
  for (let i = 0; i < 2; i++) {
    expect(await beside(7)).toBeUndefined()
    expect(await beside(6, 8)).toBeUndefined()
    sidecar('bge-small')
    expect(await beside()).toBeUndefined()
    sidecar('minilm')
  }
  await new Promise(setImmediate)
  process.off('warning', listen)
  const about = `KithWarning: ${backgroundFile(docs)}`
  const advice = `relevance is not estimated; make it again: kith background --docs ${docs}`
  expect(warnings).toEqual([
    `${about} was made from 6 documents, but ${docs} has 7: ${advice}`,
    `${about} has vectors of 4 dimensions, but ${docs} has 8: ${advice}`,
    `${about} has vectors of the model minilm, but ${docs} has vectors of bge-small: ${advice}`,
  ])
})

test('a store warns once when its background is of fewer than half of its documents', async () => {
  await using store = await openStore(join(temporaryFolder(), 'lance'), { create: true })
  const documents = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({
      id: `d${from + i}`,
      vector: Float32Array.from({ length: 4 }, (_, j) => Math.sin((from + i) * 3 + j * j)),
    }))
  await store.add(documents(0, 10))
  expect((await store.makeBackground!({ model: 'minilm' })).model).toBe('minilm')
  // A background that is made again keeps the model.
  expect((await store.makeBackground!()).model).toBe('minilm')
  expect(await store.background!()).toMatchObject({ documents: 10, model: 'minilm' })
  await store.add(documents(10, 30))
  const warnings: string[] = []
  const listen = (warning: Error) => warnings.push(warning.message)
  process.on('warning', listen)
  for (let i = 0; i < 2; i++) expect(await store.background!()).toBeUndefined()
  await new Promise(setImmediate)
  process.off('warning', listen)
  expect(warnings).toEqual([
    'the background of the collection main was made from 10 documents, but the store has 30: relevance is not estimated; make it again with kith background --store',
  ])
})
