/** A real model of half precision whose first token is the embedding, against a plain forward pass. */
import { expect, test } from 'vitest'
import { sharedModel } from '../../../test/files.ts'
import { loadEncoder, openModel } from '../src/index.ts'
import { readWeights } from '../src/model/checkpoint.ts'
import { asCheckpoint } from '../src/model/model.ts'
import { buildEncoder } from '../src/network/build-model.ts'
import { forward } from './reference.ts'
import { bertNames } from './small-models.ts'

const folder = sharedModel('bge-small-en-v1.5')
const queryPrefix = 'Represent this sentence for searching relevant passages: '

test.skipIf(!folder)('encodes with bge-small-en-v1.5 as the plain forward pass does', async () => {
  const model = asCheckpoint(await openModel(folder!))
  expect(model.head).toEqual({ pooling: 'first', normalize: true })
  expect(model.maxTokens).toBe(512)
  const { parameters } = buildEncoder(model.config).graph
  const weights = await readWeights(model.weights, parameters)
  const tensors = Object.fromEntries(
    parameters.map(({ name, shape }) => [
      name,
      { shape: shape as number[], data: weights.get(name)! },
    ]),
  )
  const measures = { layers: 12, heads: 12, hidden: 384, epsilon: 1e-12 }
  const expected = (text: string) => {
    const [first] = forward(tensors, bertNames(''), measures, model.tokenizer.encode(text).ids)
    const length = Math.hypot(...first!)
    return first!.map((value) => value / length)
  }
  const encoder = await loadEncoder(folder!, { queryPrefix, threads: 1 })
  try {
    for (const [role, text, whole] of [
      ['query', 'Where is the heart?', `${queryPrefix}Where is the heart?`],
      ['document', 'It beats in the chest.', 'It beats in the chest.'],
    ] as const) {
      const { data } = await encoder.encode([text], { role })
      const row = expected(whole)
      expect(data.length).toBe(row.length)
      row.forEach((value, d) => {
        expect(Math.abs(data[d]! - value)).toBeLessThan(1e-5)
      })
    }
  } finally {
    await encoder.close()
  }
})
