/** Ten training steps of every family beside PyTorch's, from the same weights. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { families } from '@kith/encoder/internal'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openEncoderModel } from '../src/index.ts'
import type { EncoderModel } from '../src/models/encoder-model.ts'
import { adamw, clipFactor, Optimizer } from '../src/optimizer/optimizer.ts'
import { TrainingStep } from '../src/run/training-step.ts'
import { type FamilyName, randomDocuments, writeSmallModel } from './support.ts'

const folder = temporaryFolder()
const names = Object.keys(families) as FamilyName[]
/** Of unequal lengths; MPNet's distances from 8 tokens on share their numbers. */
const tokens = [
  [2, 7, 5, 9, 3],
  [2, 11, 3],
  [2, 6, 6, 18, 12, 4, 10, 8, 15, 13, 3],
]
const HIDDEN = 8
const documents = randomDocuments(6, HIDDEN, 3)
/** Of the first two documents. */
const target = [0.75, 0.25]
const settings = { rate: 1e-3, steps: 10, weightDecay: 0.01, maxGradNorm: 1, inverseTemperature: 5 }

/** The losses of PyTorch's steps, family by family; undefined if it is not installed. */
let theirs: number[][] | undefined
const models = new Map<FamilyName, EncoderModel>()

beforeAll(async () => {
  for (const family of names) {
    const path = writeSmallModel(join(folder, family), { family, hidden: HIDDEN })
    models.set(family, await openEncoderModel(path))
  }
  const tasks = [...models.values()].map(({ checkpoint, weights, shapes }) => ({
    config: checkpoint.config,
    weights: [...weights].map(([name, data]) => [name, shapes.get(name), [...data]]),
    tokens,
    documents: [...documents.memory!],
    target: Array.from({ length: documents.rows }, (_, row) => target[row] ?? 0),
    settings,
  }))
  const program = fileURLToPath(new URL('./torch_encoder.py', import.meta.url))
  const PYTHONPATH = process.env['KITH_TORCH'] ?? process.env['PYTHONPATH'] ?? ''
  const { status, stdout, stderr, error } = spawnSync('python3', ['-B', program], {
    input: JSON.stringify(tasks),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH },
  })
  if (error || stderr.includes("No module named 'torch'")) return
  expect(status, stderr).toBe(0)
  theirs = JSON.parse(stdout)
})

test.for(names)('%s: equals the losses of PyTorch in ten steps', async (family, { skip }) => {
  if (!theirs) return skip('python3 has no torch: install it, or say where with KITH_TORCH')
  const ours = await train(models.get(family)!)
  expect(ours.at(-1)).toBeLessThan(0.95 * ours[0]!)
  const expected = theirs[names.indexOf(family)]!
  expect(expected.length).toBe(settings.steps)
  expected.forEach((loss, i) => {
    expect(Math.abs(ours[i]! - loss)).toBeLessThan(1e-5)
  })
})

async function train(model: EncoderModel): Promise<number[]> {
  const { rate, steps, weightDecay, maxGradNorm, inverseTemperature } = settings
  const step = await TrainingStep.open(model, {
    loss: 'kl',
    margin: 1,
    inverseTemperature,
    learnTemperature: false,
    dropout: 0,
    seed: 0,
    threads: 1,
  })
  const moments = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay }
  const optimizer = new Optimizer(step.weights, adamw, moments)
  const rows = Uint32Array.from({ length: documents.rows }, (_, row) => row)
  const lists = tokens.map(() => ({ rows, target: Float64Array.from(target) }))
  const losses: number[] = []
  for (let number = 0; number < steps; number++) {
    const at = { number, queriesOfStep: tokens.length, first: true }
    const sum = await step.run(model.prepareTokens(tokens), lists, documents, at)
    losses.push(sum / tokens.length)
    const factor = clipFactor(step.gradients.norm(), maxGradNorm)
    optimizer.update(step.gradients, factor, rate, number + 1)
  }
  await step.close()
  return losses
}
