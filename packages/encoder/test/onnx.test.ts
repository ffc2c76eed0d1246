import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { add, multiply, reshape } from '../src/graph/arithmetic.ts'
import { matmul } from '../src/graph/blocks.ts'
import { Graph } from '../src/graph/graph.ts'
import { toOnnx } from '../src/graph/onnx.ts'
import { loadEncoder, openModel } from '../src/index.ts'
import { asCheckpoint, readWeights } from '../src/internal.ts'
import { exportOnnx } from '../src/model/model-files.ts'
import { buildEncoder } from '../src/network/build-model.ts'
import { embeddings } from '../src/network/pooling.ts'
import { InferenceSession, Tensor } from '../src/runtime.ts'
import { bertConfig, bertNames, randomWeights, vocabulary } from './small-models.ts'
import { safetensors, writeFiles } from './support.ts'

const output = temporaryFolder()
const texts = ['dense retrieval', '', 'the query of a neighbor', 'kith b c']
const checkpoint = writeFiles(join(output, 'checkpoint'), {
  'config.json': bertConfig,
  'vocab.txt': vocabulary.join('\n'),
  'model.safetensors': safetensors(randomWeights(bertNames('bert.'), 3), 'F32'),
})

test.each(['mean', 'first'] as const)(
  'reads back an exported model, pooling %s',
  async (pooling) => {
    const folder = join(output, `exported ${pooling}`)
    await exportOnnx(checkpoint, folder, { pooling })
    expect(await rowsOf(folder, {})).toEqual(await rowsOf(checkpoint, { pooling }))
    const options = { pooling, normalize: true }
    expect(await rowsOf(folder, options)).toEqual(await rowsOf(checkpoint, options))
    const eightBits = { ...options, quantize: 'int8' }
    await expect(rowsOf(folder, eightBits)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('ONNX'),
    })
    rmSync(join(folder, 'modules.json'))
    await expect(rowsOf(folder, {})).rejects.toThrow('set pooling to "mean" or "first"')
    await expect(exportOnnx(folder, join(output, 'again'), options)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('ONNX'),
    })
  },
)

test('uses a model.onnx that pools by itself', async () => {
  const { graph, mask, hidden } = buildEncoder((await opened()).config)
  graph.output(
    'sentence_embedding',
    embeddings(hidden, mask, { pooling: 'mean', normalize: false }),
  )
  const weights = await readWeights(join(checkpoint, 'model.safetensors'), graph.parameters)
  const folder = writeFiles(join(output, 'pooled'), {
    'model.onnx': toOnnx(graph, ({ name }) => weights.get(name)!).toBytes(),
  })
  copyFileSync(join(checkpoint, 'vocab.txt'), join(folder, 'vocab.txt'))
  const plain = await rowsOf(checkpoint, { pooling: 'mean' })
  expect(await rowsOf(folder, {})).toEqual(plain)
  const normalized = await rowsOf(checkpoint, { pooling: 'mean', normalize: true })
  expect(await rowsOf(folder, { normalize: true })).toEqual(normalized)
})

test('refuses ONNX models that are not encoders', async () => {
  const graph = new Graph()
  graph.output('logits', add(graph.input('pixels', 'float32', ['batch']), 1))
  const make = (name: string, model: Uint8Array | string) => {
    const folder = writeFiles(join(output, name), { 'model.onnx': model })
    copyFileSync(join(checkpoint, 'vocab.txt'), join(folder, 'vocab.txt'))
    return folder
  }
  const strange = make('strange', toOnnx(graph).toBytes())
  await expect(rowsOf(strange, {})).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('input_ids'),
  })
  await expect(rowsOf(make('broken', 'not a model'), {})).rejects.toMatchObject({
    code: 'BAD_INPUT',
  })
  mkdirSync(join(output, 'bare'))
  await expect(rowsOf(join(output, 'bare'), {})).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('model.onnx'),
  })
})

test('computes the same with weights as inputs and inside the model, padded or not', async () => {
  const { config, weights: file } = await opened()
  const { graph, mask, hidden } = buildEncoder(config)
  graph.output('embeddings', embeddings(hidden, mask, { pooling: 'mean', normalize: false }))
  const weights = await readWeights(file, graph.parameters)
  const inside = await InferenceSession.create(
    toOnnx(graph, ({ name }) => weights.get(name)!).toBytes(),
  )
  const outside = await InferenceSession.create(toOnnx(graph).toBytes())
  const tensor = (rows: number[][]) =>
    new Tensor('int64', BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0]!.length])
  const feeds = {
    input_ids: tensor([
      [2, 5, 6, 7, 3],
      [2, 8, 3, 0, 0],
    ]),
    attention_mask: tensor([
      [1, 1, 1, 1, 1],
      [1, 1, 1, 0, 0],
    ]),
  }
  const parameters = Object.fromEntries(
    graph.parameters.map(({ name, shape }) => [
      name,
      new Tensor('float32', weights.get(name)!, shape as number[]),
    ]),
  )
  const first = (await inside.run(feeds))['embeddings']!.data as Float32Array
  const second = (await outside.run({ ...feeds, ...parameters }))['embeddings']!.data
  expectClose(second as Float32Array, first)
  const alone = { input_ids: tensor([[2, 8, 3]]), attention_mask: tensor([[1, 1, 1]]) }
  const short = (await inside.run(alone))['embeddings']!.data as Float32Array
  expectClose(short, first.subarray(config.hidden))
})

test('refuses incompatible shapes and duplicate names in a graph', () => {
  const graph = new Graph()
  const x = graph.input('x', 'float32', ['batch', 3])
  const y = graph.input('y', 'float32', ['batch', 4])
  expect(() => multiply(x, y)).toThrow(expect.objectContaining({ code: 'BAD_SHAPE' }))
  expect(() => matmul(x, y)).toThrow(expect.objectContaining({ code: 'BAD_SHAPE' }))
  expect(() => reshape(x, ['batch', 'nobody'])).toThrow(
    expect.objectContaining({ code: 'BAD_SHAPE', message: expect.stringContaining('nobody') }),
  )
  expect(() => graph.parameter('x', [1])).toThrow('two values named x')
})

function expectClose(actual: Float32Array, expected: Float32Array): void {
  expect(actual.length).toBe(expected.length)
  actual.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-5)
  })
}

async function opened() {
  return asCheckpoint(await openModel(checkpoint, { pooling: 'mean' }))
}

async function rowsOf(folder: string, options: object): Promise<Float32Array> {
  const encoder = await loadEncoder(folder, { ...options, threads: 1 })
  try {
    return (await encoder.encode(texts)).data
  } finally {
    await encoder.close()
  }
}
