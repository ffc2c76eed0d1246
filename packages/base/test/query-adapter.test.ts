import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type AdapterFile, QueryAdapter, writeAdapterFile } from '../src/query-adapter.ts'
import { writeTensors } from '../src/safetensors.ts'

const folder = temporaryFolder()
// Turns the first axis into the second.
const file: AdapterFile = {
  kind: 'linear',
  dimensions: 2,
  normalize: true,
  weights: new Map([['up.weight', Float32Array.of(-1, -1, 1, -1)]]),
  origin: {
    model: 'encoder-a',
    documents: { ids: ['a', 'b', 'c', 'd'], vectors: Float32Array.of(1, 0, 0, 1, 1, 1, 2, 1) },
  },
}

async function opened(): Promise<QueryAdapter> {
  await writeAdapterFile(join(folder, 'turn'), file)
  return QueryAdapter.open(join(folder, 'turn'))
}

test('changes the embedding of a query', async () => {
  const adapter = await opened()
  expect(adapter.apply([3, 0])).toEqual(Float32Array.of(0, 1))
  expect(adapter.apply(Float32Array.of(0, 2))).toEqual(Float32Array.of(-1, 0))
  expect(() => adapter.apply([1, 2, 3])).toThrow(expect.objectContaining({ code: 'BAD_SHAPE' }))
})

test('refuses a model other than the one it was fitted to', async () => {
  const adapter = await opened()
  adapter.checkModel({ name: '/models/encoder-a', dimensions: 2 })
  // An endpoint may have no name.
  adapter.checkModel({ name: undefined, dimensions: 2 })
  const other = { name: 'encoder-b', dimensions: 2 }
  expect(() => adapter.checkModel(other)).toThrow(
    'was fitted to embeddings of encoder-a (2 dimensions), but the model is encoder-b',
  )
  expect(() => adapter.checkModel({ name: 'encoder-a', dimensions: 3 })).toThrow('3 dimensions')
})

test('refuses another corpus, and accepts its own after changes', async () => {
  const adapter = await opened()
  const corpus = (vectors: Record<string, number[]>) => async (ids: readonly string[]) =>
    ids.map((id) => vectors[id])
  // Two documents are gone, the others have vectors of another length and of half precision.
  await adapter.checkDocuments(corpus({ a: [2, 0], b: [0.001, 0.999], z: [1, 1] }))
  await expect(adapter.checkDocuments(corpus({ a: [1, 0], b: [1, 0] }))).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('1 of 4'),
  })
})

test('names the tensor or field that a file lacks', async () => {
  const tensors = [{ name: 'up.weight', shape: [2, 2], data: new Float32Array(4) }]
  const bad = join(folder, 'bad')
  await writeTensors(join(bad, 'adapter.safetensors'), tensors, { kind: 'mlp' })
  await expect(QueryAdapter.open(bad)).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('up.bias'),
  })
  await writeTensors(join(bad, 'adapter.safetensors'), tensors, { kind: 'x' })
  await expect(QueryAdapter.open(bad)).rejects.toMatchObject({ code: 'BAD_FILE' })
  const listed = { kind: 'linear', documentIds: '{}' }
  await writeTensors(join(bad, 'adapter.safetensors'), tensors, listed)
  await expect(QueryAdapter.open(bad)).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('documentIds'),
  })
})
