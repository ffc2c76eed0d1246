import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { AdapterModel } from '../src/index.ts'
import { entropyOf, type Loss, lossNamed, lossNames } from '../src/losses.ts'
import { TrainingStep } from '../src/run/training-step.ts'
import { resolveTrainSettings } from '../src/settings.ts'
import { documentsOf } from './support.ts'

const lists = { lengths: [4, 3], longest: 4, target: Float32Array.of(0.7, 0.3, 0, 0, 1, 0, 0, 0) }

test('entropyOf returns the entropy: ln n for n equal probabilities, 0 for certainty', () => {
  expect(entropyOf(Float64Array.of(0.25, 0.25, 0.25, 0.25))).toBeCloseTo(Math.log(4), 12)
  expect(entropyOf(Float64Array.of(1, 0))).toBe(0)
})

test('accepts the losses of the table in the settings, and names them for any other', () => {
  for (const loss of lossNames) expect(resolveTrainSettings({ steps: 1, loss }).loss).toBe(loss)
  const unknown = 'hinge' as Loss
  for (const use of [
    () => lossNamed(unknown),
    () => resolveTrainSettings({ steps: 1, loss: unknown }),
  ]) {
    expect(use).toThrow(lossNames.at(-1))
    expect(use).toThrow('hinge')
  }
  expect(() => lossNamed('constructor' as Loss)).toThrow('constructor')
})

test('marks padding, irrelevant candidates and each relevant candidate in the inputs of losses', () => {
  const numbers = (loss: Loss, input: string) => {
    const { data, dims } = lossNamed(loss).inputs[input]!.numbers(lists)
    return { data: [...data], dims }
  }
  expect(numbers('kl', 'padding')).toEqual({ data: [0, 0, 0, 0, 0, 0, 0, 1], dims: [2, 4] })
  expect(numbers('infonce', 'others')).toEqual({ data: [0, 0, 1, 1, 0, 1, 1, 0], dims: [2, 4] })
  expect(numbers('max-margin', 'picks')).toEqual({
    data: [1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    dims: [2, 4, 2],
  })
})

test('adds the constant part to a step, so that the KL divergence of equal distributions is 0', async () => {
  const model = new AdapterModel({ kind: 'linear', dimensions: 1 })
  const documents = documentsOf(Float32Array.of(Math.log(3), 0), 1)
  const settings = { ...resolveTrainSettings({ steps: 1, dropout: 0 }), loss: 'kl' } as const
  await using step = await TrainingStep.open(model, settings)
  const queries = model.prepare([{ id: 'q', vector: Float32Array.of(1) }])
  const list = { rows: Uint32Array.of(0, 1), target: Float64Array.of(0.75, 0.25) }
  const loss = await step.run(queries, [list], documents, {
    number: 0,
    queriesOfStep: 1,
    first: true,
  })
  expect(loss).toBeCloseTo(0, 6)
})

test('asks in no source for a loss by its name, so that a new loss is one more object of the table', () => {
  const packages = fileURLToPath(new URL('../../', import.meta.url))
  const sources = ['train', 'pipelines', 'cli'].flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(name, 'src', file)),
  )
  const quoted = new RegExp(`['"\`](${lossNames.join('|')})['"\`]`)
  const naming = sources.filter((file) => quoted.test(readFileSync(join(packages, file), 'utf8')))
  expect(naming.sort()).toEqual(['train/src/losses.ts', 'train/src/settings.ts'])
})
