import { join } from 'node:path'
import { loadEncoder } from '@kith/encoder'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openEncoderModel, QueryEncoder, train } from '../src/index.ts'
import { documentsOf } from './support.ts'

const folder = temporaryFolder()
const passages = [
  'The heart pumps blood through the vessels.',
  'A violin has four strings.',
  'Bread is baked from dough.',
  'Glaciers move slowly downhill.',
  'Bees dance to tell the way.',
  'A lock keeps a door shut.',
]
/** Each asks for what the base model would not give. */
const questions = ['What is music?', 'What do I eat?', 'Why is it cold?', 'Who is at work?']

test('trains all-MiniLM-L6-v2, and loads the saved folder', async () => {
  const base = await loadEncoder('minilm', { threads: 1 })
  const { data, dimensions } = await base.encode(passages)
  base.close()
  const documents = documentsOf(data, dimensions)
  const queries = questions.map((text, i) => ({
    id: text,
    text,
    relevant: [(i + 4) % passages.length],
    retrieved: passages.map((_, row) => row),
  }))
  const model = await openEncoderModel('minilm', { topLayers: 2 })
  const losses: number[] = []
  const out = join(folder, 'out')
  await train({
    model,
    documents,
    queries,
    out,
    settings: {
      steps: 12,
      batchSize: 4,
      inverseTemperature: 20,
      learningRate: 2e-4,
      schedule: 'constant',
      dropout: 0,
    },
    onStep: ({ loss }) => losses.push(loss),
  })
  expect(losses.at(-1)).toBeLessThan(0.5 * losses[0]!)
  const loaded = await loadEncoder(out, { threads: 1 })
  const theirs = await loaded.encode(questions, { role: 'query' })
  loaded.close()
  const ours = await (await QueryEncoder.open(model)).encode(queries)
  theirs.data.forEach((value, i) => {
    expect(Math.abs(value - ours.data[i]!)).toBeLessThan(1e-5)
  })
})
