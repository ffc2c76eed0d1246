/**
 * Fine-tuning steps beside PyTorch: the same weights, batches and settings on one thread
 * each. The losses of 20 steps must agree to 4 decimals; times are of whole steps,
 * from token ids and document rows to changed weights. Then steps of the uppermost layers, with
 * the layers below them kept. PyTorch is found by python3, in
 * the folder that KITH_TORCH names or by itself.
 */
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildEncoder } from '@kith/encoder/internal'
import { openEncoderModel } from '@kith/train'
import { Schedule } from '@kith/train/internal'
import { adamw, EncoderModel, Optimizer, TrainingStep } from '@kith/train/steps'
import { generator } from './clusters.mjs'
import { median, table } from './measure.mjs'
import { teacherLabels } from './teacher-labels.mjs'
import { pythonWith, startPython } from './torch.mjs'

const [BATCH, LENGTH, CANDIDATES, DOCUMENTS, STEPS] = [32, 16, 1000, 5000, 20]
/** Steps before times are taken. */
const WARM_UP = 3
const settings = { learningRate: 2e-5, inverseTemperature: 20, maxGradNorm: 1, weightDecay: 0.01 }
const plan = { warmup: 5, schedule: 'linear', finalRatio: 0, patience: 1, factor: 1, steps: STEPS }
const schedule = new Schedule({ ...plan, learningRate: settings.learningRate })
const rates = Array.from({ length: STEPS }, (_, step) => schedule.rateAt(step + 1))

export async function run() {
  const rows = [
    ['model', 'Kith', 'PyTorch', 'Kith takes', 'at most', 'largest difference of losses'],
  ]
  let theirName
  for (const [name, open] of [
    ['MiniLM, 6 × 384', () => openEncoderModel('minilm')],
    ['DistilBERT, 6 × 768, random', distilbert],
  ]) {
    const model = await open()
    const data = makeData(model)
    const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
    const theirs = await torch(folder, model, data)
    theirName ??= theirs?.name
    try {
      const times = await sideBySide(await ours(model, data), theirs)
      rows.push([name, ...row(times)])
    } finally {
      theirs?.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const shape = `batch ${BATCH} × ${LENGTH} tokens, ${CANDIDATES} candidates`
  console.log(`\nA training step, ${shape}, one thread, ms (median of ${STEPS - WARM_UP})\n`)
  console.log(table(rows))
  console.log(
    theirName ??
      'PyTorch is not installed for python3; install it, or set KITH_TORCH to its folder',
  )
  await upperLayers()
}

/**
 * Steps of MiniLM of which the two uppermost layers learn, with the layers below computed at every
 * step or kept in a file, and steps of the whole model, in turn.
 */
async function upperLayers() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  const [whole, top] = [
    await openEncoderModel('minilm'),
    await openEncoderModel('minilm', { topLayers: 2 }),
  ]
  const data = makeData(whole)
  const batches = textBatches()
  const kept = top.split(join(folder, 'lower-layers.bin'), batches.flat(), { threads: 1 })
  const start = performance.now()
  await kept.prepare(batches[0])
  const making = performance.now() - start
  try {
    // Each model changes separate weights: the second and the third must give the same losses.
    const computed = await openEncoderModel('minilm', { topLayers: 2 })
    const steps = []
    for (const model of [whole, computed, kept]) {
      steps.push(await ours(model, data, (number) => model.prepare(batches[number])))
    }
    const times = steps.map(() => [])
    let apart = 0
    for (let number = 0; number < STEPS; number++) {
      const losses = []
      for (const [i, step] of steps.entries()) {
        const before = performance.now()
        losses.push(await step(number))
        times[i].push(performance.now() - before)
      }
      apart = Math.max(apart, Math.abs(losses[2] / losses[1] - 1))
    }
    if (!(apart < 1e-6)) throw new Error(`losses differ by ${apart}`)
    const [all, every, once] = times.map((each) => median(each.slice(WARM_UP)))
    const rows = [['MiniLM, 6 × 384', 'ms', 'of the whole model']]
    for (const [name, time] of [
      ['all layers trained', all],
      ['two layers trained, all run', every],
      ['two layers trained, states below kept', once],
    ]) {
      rows.push([name, time.toFixed(0), `${(time / all).toFixed(2)} ×`])
    }
    console.log('\nThe same step for the two uppermost layers\n')
    console.log(table(rows))
    teacherLabels(
      { 'all layers trained': all, 'two layers trained, states below kept': once },
      BATCH,
    )
    const texts = STEPS * BATCH
    console.log(
      `largest relative difference of losses ${apart.toExponential(1)}; making the file: ${making.toFixed(0)} ms for ${texts} queries`,
    )
  } finally {
    await kept.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Queries with as many tokens as the queries of `makeData`: each word is one token. */
function textBatches() {
  const words = 'heart water bread music light night paper stone river green'.split(' ')
  const random = generator(3)
  const below = (limit) => Math.floor(random() * limit)
  return Array.from({ length: STEPS }, (_, step) =>
    Array.from({ length: BATCH }, (_, query) => {
      const length = (query === 0 ? LENGTH : 8 + below(LENGTH - 7)) - 2
      const text = Array.from({ length }, () => words[below(words.length)]).join(' ')
      return { id: `${step}-${query}`, text }
    }),
  )
}

function row({ own, their, apart }) {
  const [ours, theirs] = [own, their].map((times) => median(times.slice(WARM_UP)))
  if (their.length === 0) return [ours.toFixed(0), '', '', '1.0 ×', '']
  if (!(apart < 5e-5)) throw new Error(`losses differ by ${apart}`)
  const ratio = `${(ours / theirs).toFixed(2)} ×`
  return [ours.toFixed(0), theirs.toFixed(0), ratio, '1.0 ×', apart.toExponential(1)]
}

/** Step by step in turn, so that both have the machine as it is at the moment. */
async function sideBySide(ours, theirs) {
  const [own, their] = [[], []]
  let apart = 0
  for (let step = 0; step < STEPS; step++) {
    const start = performance.now()
    const loss = await ours(step)
    own.push(performance.now() - start)
    if (!theirs) continue
    const [theirLoss, time] = await theirs.step()
    their.push(time)
    apart = Math.max(apart, Math.abs(loss - theirLoss))
  }
  return { own, their, apart }
}

/** @param prepare Makes the queries of a step ready; by default from the tokens of the data. */
async function ours(
  model,
  { tokens, documents, lists },
  prepare = (number) => model.prepareTokens(tokens[number]),
) {
  const step = await TrainingStep.open(model, {
    ...settings,
    loss: 'kl',
    margin: 1,
    learnTemperature: false,
    dropout: 0,
    seed: 0,
    threads: 1,
  })
  const moments = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: settings.weightDecay }
  const optimizer = new Optimizer(step.weights, adamw, moments)
  return async (number) => {
    const queries = await prepare(number)
    const at = { number, queriesOfStep: BATCH, first: true }
    const sum = await step.run(queries, lists[number], documents, at)
    const factor = Math.min(1, settings.maxGradNorm / step.gradients.norm())
    optimizer.update(step.gradients, factor, rates[number], number + 1)
    return sum / BATCH
  }
}

/** Queries of 8 to 16 tokens, candidates, and targets of four documents each. */
function makeData({ dimensions, checkpoint }) {
  const random = generator(1)
  const below = (limit) => Math.floor(random() * limit)
  const memory = Float32Array.from({ length: DOCUMENTS * dimensions }, () => random() - 0.5)
  for (let from = 0; from < memory.length; from += dimensions) {
    const part = memory.subarray(from, from + dimensions)
    const length = Math.hypot(...part)
    part.forEach((value, i) => {
      part[i] = value / length
    })
  }
  const each = (make) => Array.from({ length: STEPS }, () => Array.from({ length: BATCH }, make))
  const tokens = each((_, query) => {
    const length = query === 0 ? LENGTH : 8 + below(LENGTH - 7)
    return Array.from({ length }, () => below(checkpoint.config.vocabulary))
  })
  const lists = each(() => {
    const start = below(DOCUMENTS)
    const rows = Uint32Array.from({ length: CANDIDATES }, (_, i) => (start + 3 * i) % DOCUMENTS)
    return { rows, target: Float64Array.of(0.5, 0.25, 0.125, 0.125) }
  })
  const gather = (rows, into) => {
    for (let i = 0; i < rows.length; i++) {
      const from = rows[i] * dimensions
      into.set(memory.subarray(from, from + dimensions), i * dimensions)
    }
    return into
  }
  return { tokens, lists, documents: { rows: DOCUMENTS, dimensions, memory, gather } }
}

/** A DistilBERT with small random weights, as before any training. */
async function distilbert() {
  const config = {
    family: 'distilbert',
    layers: 6,
    heads: 12,
    hidden: 768,
    intermediate: 3072,
    vocabulary: 30522,
    positions: 512,
    tokenTypes: 0,
    activation: 'gelu',
    epsilon: 1e-12,
  }
  const random = generator(2)
  const { parameters } = buildEncoder(config).graph
  const shapes = new Map(parameters.map(({ name, shape }) => [name, shape]))
  const weights = new Map(
    parameters.map(({ name, shape }) => {
      const length = shape.reduce((product, size) => product * size, 1)
      if (/norm\.weight$/i.test(name)) return [name, new Float32Array(length).fill(1)]
      const zero = name.endsWith('.bias')
      const value = () => (zero ? 0 : 0.07 * (random() - 0.5))
      return [name, Float32Array.from({ length }, value)]
    }),
  )
  const checkpoint = { config, head: { pooling: 'mean', normalize: true } }
  return new EncoderModel(checkpoint, weights, shapes, new Set(weights.keys()))
}

/** PyTorch in a process that stays; undefined if it is not installed. */
async function torch(folder, model, data) {
  const python = pythonWith('torch', 1)
  if (!python) return undefined
  await writeData(folder, model, data)
  const { ready, ask, close } = await startPython(python, 'train.py', folder)
  return { name: ready, step: async () => JSON.parse(await ask('step')), close }
}

async function writeData(folder, { weights, shapes, checkpoint }, data) {
  const plan = { ...settings, rates, config: checkpoint.config }
  const sizes = { batch: BATCH, length: LENGTH, candidates: CANDIDATES }
  const names = { weights: [...shapes] }
  writeFileSync(join(folder, 'plan.json'), JSON.stringify({ ...plan, ...sizes, ...names }))
  const padded = (fill) =>
    data.tokens.flat().flatMap((ids) => [...fill(ids), ...Array(LENGTH - ids.length).fill(0)])
  const lists = data.lists.flat()
  await write(
    join(folder, 'weights.bin'),
    [...shapes.keys()].map((name) => weights.get(name)),
  )
  await write(join(folder, 'ids.bin'), [Int32Array.from(padded((ids) => ids))])
  await write(join(folder, 'masks.bin'), [Float32Array.from(padded((ids) => ids.map(() => 1)))])
  await write(join(folder, 'documents.bin'), [data.documents.memory])
  await write(
    join(folder, 'rows.bin'),
    lists.map(({ rows }) => Int32Array.from(rows)),
  )
  const targets = lists.map(({ target }) => {
    const whole = new Float32Array(CANDIDATES)
    whole.set(target)
    return whole
  })
  await write(join(folder, 'targets.bin'), targets)
}

async function write(path, parts) {
  const file = createWriteStream(path)
  for (const { buffer, byteOffset, byteLength } of parts) {
    await new Promise((resolve) => file.write(Buffer.from(buffer, byteOffset, byteLength), resolve))
  }
  await new Promise((resolve) => file.end(resolve))
}
