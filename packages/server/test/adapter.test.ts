import { join } from 'node:path'
import { type AdapterFile, writeAdapterFile } from '@kith/base/query-adapter'
import { writeEmbeddings } from '@kith/ir'
import { openSearchStore } from '@kith/stores/internal'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { startServer } from '../src/server.ts'
import { openTextModel } from '../src/text-model.ts'
import { minilm, post, serve } from './support.ts'

const folder = temporaryFolder()
const adapter = join(folder, 'adapter')
const docs = join(folder, 'docs.npy')
const DIMENSIONS = 384
let vector: Float32Array

/** Turns all queries around: x + Wx = −x. */
const around: AdapterFile = {
  ...{ kind: 'linear', dimensions: DIMENSIONS, normalize: true },
  weights: new Map([
    [
      'up.weight',
      Float32Array.from({ length: DIMENSIONS ** 2 }, (_, i) => (i % (DIMENSIONS + 1) ? 0 : -2)),
    ],
  ]),
  origin: {},
}

beforeAll(async () => {
  const model = await minilm()
  vector = (await model.embed(['how do bees find flowers'], 'query'))[0]!.vector
  await model.close()
  const rows = [vector, vector.map((value) => -value)]
  await writeEmbeddings(docs, { dimensions: DIMENSIONS, ids: ['near', 'far'] }, rows)
})

test('adapts queries and leaves documents and given embeddings unchanged', async () => {
  await writeAdapterFile(adapter, around)
  const server = await serve({
    openModel: () => openTextModel('minilm', { threads: 1, adapter }),
    store: await openSearchStore(docs, {}),
  })
  const embedded = async (input_type: string): Promise<number[]> => {
    const body = { input: 'how do bees find flowers', input_type }
    const answer = await (await post(server, '/v1/embeddings', body)).json()
    return (answer as { data: { embedding: number[] }[] }).data[0]!.embedding
  }
  const sum = (list: number[]) => list.reduce((total, value, i) => total + value * vector[i]!, 0)
  expect(sum(await embedded('query'))).toBeCloseTo(-1, 4)
  expect(sum(await embedded('document'))).toBeGreaterThan(0.9)
  const first = async (body: object) => {
    const answer = await (await post(server, '/v1/search', { ...body, top_n: 1 })).json()
    return (answer as { results: { id: string }[] }).results[0]!.id
  }
  expect(await first({ query: 'how do bees find flowers' })).toBe('far')
  expect(await first({ query: { embedding: Array.from(vector) } })).toBe('near')
})

test('refuses an adapter of another model, and of another corpus', async () => {
  const opened = () => openTextModel('minilm', { threads: 1, adapter })
  await writeAdapterFile(adapter, { ...around, origin: { model: 'bge-small-en-v1.5' } })
  await expect(opened()).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('bge-small-en-v1.5'),
  })
  const documents = { ids: ['near'], vectors: vector.map((value) => -value) }
  await writeAdapterFile(adapter, { ...around, origin: { model: 'minilm', documents } })
  const store = await openSearchStore(docs, {})
  await expect(startServer({ port: 0, openModel: opened, store })).rejects.toThrow(
    'was fitted to another corpus or model: 0 of 1 of its documents',
  )
})
