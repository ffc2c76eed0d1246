import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Encoder, loadEncoder } from '../src/index.ts'
import { cosine } from './support.ts'

const passages = [
  'Honeybees find flowers by color, by scent, and by patterns that only show in ultraviolet light.',
  'A beekeeper opens the hive on a warm day and looks for the queen and her eggs.',
  'The price of honey rises after a wet summer, when bees could not fly.',
  'Wind carries the pollen of grasses and of most trees in cold countries.',
  'isotopes',
]

let exact: Encoder
let quantized: Encoder
beforeAll(async () => {
  exact = await loadEncoder('minilm', { threads: 1 })
  quantized = await loadEncoder('minilm', { threads: 1, quantize: 'int8' })
})
afterAll(async () => {
  await exact.close()
  await quantized.close()
})

test('computes 8-bit embeddings that are close to the 32-bit embeddings, but not equal', async () => {
  const [a, b] = [await exact.encode(passages), await quantized.encode(passages)]
  const cosines = passages.map((_, i) => {
    const row = ({ data, dimensions }: typeof a) =>
      data.subarray(i * dimensions, (i + 1) * dimensions)
    return cosine(row(a), row(b))
  })
  expect(Math.min(...cosines)).toBeGreaterThan(0.98)
  expect(Math.max(...cosines)).toBeLessThan(0.9999)
  expect(exact.source.quantize).toBe(undefined)
  expect(quantized.source.quantize).toBe('int8')
})

test('encodes a text independently of the other texts', async () => {
  // Of one length: with 32 bits, they would be one batch.
  const texts = ['bees find flowers', 'ships leave harbours', 'violins need strings']
  const { data, dimensions } = await quantized.encode(texts)
  const alone = await quantized.encode([texts[1]!])
  expect(alone.data).toEqual(data.subarray(dimensions, 2 * dimensions))
})

test('refuses other kinds of quantization', async () => {
  const quantize = 'int4' as 'int8'
  await expect(loadEncoder('minilm', { quantize })).rejects.toMatchObject({ code: 'BAD_SETTING' })
})
