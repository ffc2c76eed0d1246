/**
 * Compares `kith encode --quantize int8` with float32: texts per second, and the cosines of the
 * embeddings. docs/encode.md measures the effect on rankings.
 *
 *   node experiments/quantize.mjs ../shared/data/scifact [--texts 200] [--model minilm]
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadEncoder } from '@kith/encoder'
import { readTexts } from '@kith/ir'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    texts: { type: 'string', default: '200' },
    model: { type: 'string', default: 'minilm' },
  },
})
const [folder] = positionals
if (!folder)
  throw new Error('usage: node experiments/quantize.mjs DATASET [--texts 200] [--model minilm]')
const ROUNDS = 3

const texts = []
for await (const { title, text } of readTexts(join(folder, 'corpus.jsonl'))) {
  if (texts.push(title ? `${title} ${text}` : text) === Number(values.texts)) break
}
const open = (quantize) => loadEncoder(values.model, { threads: 1, maxTokens: 256, quantize })
const encoders = { float32: await open(), int8: await open('int8') }
const seconds = { float32: [], int8: [] }
const made = {}
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, encoder] of Object.entries(encoders)) {
    const start = performance.now()
    made[name] = await encoder.encode(texts)
    // The first round warms up.
    if (round > 0) seconds[name].push((performance.now() - start) / 1000)
  }
}
for (const encoder of Object.values(encoders)) await encoder.close()

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
const rate = (name) => texts.length / median(seconds[name])
for (const name of Object.keys(encoders)) {
  console.log(`${name}: ${rate(name).toFixed(1)} texts/s on one core`)
}
const cosines = texts.map((_, i) => cosine(...Object.values(made).map((rows) => rowOf(rows, i))))
const mean = cosines.reduce((sum, one) => sum + one, 0) / cosines.length
console.log(
  `int8 is ${(rate('int8') / rate('float32')).toFixed(2)} × as fast; cosines ${mean.toFixed(4)} on average, ${Math.min(...cosines).toFixed(4)} at least`,
)

function rowOf({ data, dimensions }, i) {
  return data.subarray(i * dimensions, (i + 1) * dimensions)
}

function cosine(a, b) {
  const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
