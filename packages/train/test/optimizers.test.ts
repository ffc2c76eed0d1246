import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { Gradients } from '../src/graph/gradients.ts'

import { adamw, clipFactor, decays, Optimizer, radam } from '../src/optimizer/optimizer.ts'
import { Schedule, type ScheduleSettings } from '../src/optimizer/schedule.ts'
import { generator } from './support.ts'

const settings = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.1 }
const STEPS = 12

/** What the papers say, in double precision, one number at a time. */
function byTheBook(rule: 'adamw' | 'radam', start: number, gradients: number[], rate: number) {
  const { beta1, beta2, epsilon, weightDecay } = settings
  let [w, m, v] = [start, 0, 0]
  gradients.forEach((g, i) => {
    const t = i + 1
    w -= rate * weightDecay * w
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    const mHat = m / (1 - beta1 ** t)
    if (rule === 'adamw') {
      w -= (rate * mHat) / (Math.sqrt(v / (1 - beta2 ** t)) + epsilon)
      return
    }
    const longest = 2 / (1 - beta2) - 1
    const length = longest - (2 * t * beta2 ** t) / (1 - beta2 ** t)
    if (length <= 5) w -= rate * mHat
    else {
      const part =
        ((length - 4) * (length - 2) * longest) / ((longest - 4) * (longest - 2) * length)
      w -= (rate * mHat * Math.sqrt(part) * Math.sqrt(1 - beta2 ** t)) / (Math.sqrt(v) + epsilon)
    }
  })
  return w
}

function gradientSteps(): number[][] {
  const random = generator(3)
  return Array.from({ length: STEPS }, () => Array.from({ length: 5 }, () => Math.fround(random())))
}

function ours(rule: 'adamw' | 'radam'): Float32Array {
  const weight = Float32Array.of(1, -2, 0.5, 3, -0.25)
  const optimizer = new Optimizer(new Map([['w', weight]]), { adamw, radam }[rule], settings)
  const gradients = new Gradients(new Map([['w', 5]]))
  gradientSteps().forEach((step, i) => {
    gradients.of('w').set(step)
    optimizer.update(gradients, 1, 0.01, i + 1)
  })
  return weight
}

test.each(['adamw', 'radam'] as const)('%s computes the steps of its paper', (rule) => {
  const steps = gradientSteps()
  const starts = [1, -2, 0.5, 3, -0.25]
  const expected = starts.map((start, i) =>
    byTheBook(
      rule,
      start,
      steps.map((step) => step[i]!),
      0.01,
    ),
  )
  ours(rule).forEach((value, i) => {
    expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-6)
  })
})

const PYTHON = `
import json, sys, torch
steps = json.load(sys.stdin)
for make in (torch.optim.AdamW, lambda p, **k: torch.optim.RAdam(p, decoupled_weight_decay=True, **k)):
    w = torch.tensor([1, -2, 0.5, 3, -0.25], requires_grad=True)
    optimizer = make([w], lr=0.01, weight_decay=0.1)
    for step in steps:
        w.grad = torch.tensor(step)
        optimizer.step()
    print(json.dumps(w.tolist()))
`

test('computes the steps of PyTorch with both optimizers', ({ skip }) => {
  const PYTHONPATH = process.env['KITH_TORCH'] ?? process.env['PYTHONPATH'] ?? ''
  const { status, stdout } = spawnSync('python3', ['-c', PYTHON], {
    input: JSON.stringify(gradientSteps()),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH },
  })
  if (status !== 0) skip('python3 has no torch: install it, or say where with KITH_TORCH')
  const [adam, rectified] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as number[])
  const close = (values: number[]) => values.map((value) => expect.closeTo(value, 5))
  expect([...ours('adamw')]).toEqual(close(adam!))
  expect([...ours('radam')]).toEqual(close(rectified!))
})

test('moves rows of a table that never had a gradient by the formula', () => {
  const random = generator(8)
  const start = Float32Array.from({ length: 12 }, random)
  const [table, dense] = [start.slice(), start.slice()]
  const rowwise = new Gradients(new Map([['t', 12]]), { name: 't', width: 3 })
  const whole = new Gradients(new Map([['t', 12]]))
  const first = new Optimizer(new Map([['t', table]]), adamw, settings)
  const second = new Optimizer(new Map([['t', dense]]), adamw, settings)
  for (const [i, rows] of [[1, 1], [2], [1]].entries()) {
    const values = Float32Array.from({ length: rows.length * 3 }, random)
    rowwise.clearRows()
    rowwise.addRows(Int32Array.from(rows), values)
    whole.of('t').fill(0)
    values.forEach((value, j) => {
      whole.of('t')[rows[Math.floor(j / 3)]! * 3 + (j % 3)]! += value
    })
    expect(rowwise.norm()).toBeCloseTo(whole.norm(), 6)
    first.update(rowwise, 0.5, 0.01, i + 1)
    second.update(whole, 0.5, 0.01, i + 1)
    expect(table).toEqual(dense)
  }
})

test('applies weight decay only to matrices', () => {
  for (const name of ['encoder.layer.0.output.dense.weight', 'up.weight'])
    expect(decays(name)).toBe(true)
  for (const name of [
    'encoder.layer.0.output.dense.bias',
    'embeddings.LayerNorm.weight',
    'transformer.layer.0.sa_layer_norm.weight',
    'score.inverse-temperature',
  ]) {
    expect(decays(name)).toBe(false)
  }
})

test('clips gradients by their common norm', () => {
  expect(clipFactor(5, 1)).toBe(0.2)
  expect(clipFactor(0.5, 1)).toBe(1)
  expect(clipFactor(5, 0)).toBe(1)
})

const plan: ScheduleSettings = {
  learningRate: 1,
  warmup: 4,
  schedule: 'linear',
  finalRatio: 0.2,
  patience: 2,
  factor: 0.5,
  steps: 12,
}

test('warms up the learning rate and decays it linearly', () => {
  const schedule = new Schedule(plan)
  const rates = [1, 2, 4, 8, 12].map((step) => schedule.rateAt(step))
  expect(rates).toEqual([0.25, 0.5, 1, 0.6, expect.closeTo(0.2, 12)])
  expect(new Schedule({ ...plan, schedule: 'constant' }).rateAt(12)).toBe(1)
})

test('lowers the learning rate when the validation loss stalls', () => {
  const schedule = new Schedule({ ...plan, schedule: 'plateau' })
  const rates = [3, 2, 2.5, 2.1, 1.9, 2, 2, 2, 2].map((loss) => {
    schedule.validated(loss)
    return schedule.rateAt(9)
  })
  expect(rates).toEqual([1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125])
})
