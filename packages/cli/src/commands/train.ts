import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { KithError } from '@kith/core'
import { openEmbeddings, writeWhole } from '@kith/ir'
import type { QueryModel, StepRecord, TrainingResult, ValidationRecord } from '@kith/train'
import type { Command, Values } from '../command.ts'
import { modelOptions, readModelOptions } from '../encoder-options.ts'
import type { Output } from '../output.ts'
import { labelSettingOptions } from '../setting-options.ts'
import { embeddingOptions, readEmbeddingOptions } from '../shared-options.ts'
import { writeSidecar } from '../sidecar.ts'
import { readTrainSettings, trainOptions } from '../train-options.ts'
import { type QueryFiles, readTrainingQueries } from '../train-queries.ts'
import { trainingFigure } from '../training-figure.ts'
import { UsageError } from '../usage-error.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from '../values.ts'

/** `kith train`: a better query encoder, or adapter, for fixed document embeddings. */
export const trainCommand: Command = {
  name: 'train',
  summary: 'fine-tune a query encoder, or an adapter of query embeddings',
  description:
    'Only queries learn; the embeddings of the documents stay as they are. Targets: --labels (made by\n' +
    'kith labels), or --target and its settings (made for each batch from the current context), or\n' +
    'else the judgements. --top-layers N trains the uppermost layers only; --adapter linear or mlp\n' +
    'trains a change of fixed query embeddings, which --train-queries and --dev-queries then are.\n' +
    'The result is a folder that kith encode and sentence-transformers load. Stopped, the same\n' +
    'command goes on from the last checkpoint with the same weights in the end.',
  example:
    'kith train --model minilm --docs docs.npy --train-queries queries.jsonl --train-run run.trec --qrels train.tsv --dev-queries queries.jsonl --dev-run run.trec --dev-qrels dev.tsv --target mixed --out trained',
  options: {
    docs: { value: 'FILE', help: 'embeddings of the documents', required: true },
    'train-queries': { value: 'FILE', help: 'texts of the training queries', required: true },
    'train-run': { value: 'FILE', help: 'their candidates', required: true },
    qrels: { value: 'FILE', help: 'their judgements', required: true },
    labels: { value: 'FILE', help: 'their targets, by kith labels (JSONL)' },
    'dev-queries': { value: 'FILE', help: 'texts of held-out queries' },
    'dev-run': { value: 'FILE', help: 'their candidates' },
    'dev-qrels': { value: 'FILE', help: 'their judgements' },
    out: { value: 'FOLDER', help: 'the trained model, checkpoints, metrics.jsonl', required: true },
    level: { value: 'GRADE', help: 'from which grade on a document is relevant', default: '1' },
    ...modelOptions,
    adapter: { value: 'KIND', help: 'train an adapter of embeddings: linear or mlp' },
    'top-layers': { value: 'N', help: 'uppermost layers that learn', default: 'all' },
    ...trainOptions,
    device: { value: 'NAME', help: 'cpu, or what onnxruntime has here besides', default: 'cpu' },
    threads: { value: 'N', help: 'of the CPU', default: 'all' },
    ...labelSettingOptions,
    ...embeddingOptions,
  },
  async run(values, output) {
    const { train } = await import('@kith/train')
    const files = trainingFiles(values)
    const out = text(values, 'out')
    const docsFile = text(values, 'docs')
    const vectors = optionalText(values, 'adapter') !== undefined
    const docs = await openEmbeddings(docsFile, readEmbeddingOptions(values))
    const stop = new AbortController()
    const interrupt = (): void => stop.abort()
    try {
      const reading = { docs, level: optionalWhole(values, 'level') ?? 1, vectors }
      const { queries, withoutTruth } = await readTrainingQueries(files.train, reading)
      if (withoutTruth > 0) {
        output.remark(`${withoutTruth} queries of ${files.train.run} have no relevant document`)
      }
      const dev = files.dev && (await readTrainingQueries(files.dev, reading))
      const settings = readTrainSettings(values, queries.length)
      const model = await openTrainable(values, docs.dimensions)
      process.once('SIGINT', interrupt)
      const progress = output.progress('training', settings.steps!)
      const result = await train({
        model,
        documents: docs,
        queries,
        validation: dev?.queries,
        settings,
        out,
        resume: true,
        device: optionalText(values, 'device'),
        threads: optionalWhole(values, 'threads') ?? availableParallelism(),
        signal: stop.signal,
        onStep: (record) => progress.update(record.step, stepNote(record)),
        onValidation: (record) => output.remark(validationLine(record)),
      }).finally(() => progress.end())
      const inputs = [docsFile, ...Object.values(files.train), ...Object.values(files.dev ?? {})]
      await writeSidecar(
        out,
        'train',
        { ...settings },
        inputs.filter((file) => file !== undefined),
      )
      const curves = dev && (await drawCurves(out))
      report(out, result, curves, output)
    } finally {
      process.removeListener('SIGINT', interrupt)
      docs.close()
    }
  },
}

function trainingFiles(values: Values): { train: QueryFiles; dev: QueryFiles | undefined } {
  const train = {
    queries: text(values, 'train-queries'),
    run: text(values, 'train-run'),
    qrels: text(values, 'qrels'),
    labels: optionalText(values, 'labels'),
  }
  if (train.labels !== undefined && values['target'] !== undefined) {
    throw new UsageError('--labels has the targets already: leave out --target')
  }
  const [queries, run, qrels] = ['dev-queries', 'dev-run', 'dev-qrels'].map((name) =>
    optionalText(values, name),
  )
  if (queries && run && qrels) return { train, dev: { queries, run, qrels } }
  if (queries || run || qrels) {
    throw new UsageError('--dev-queries, --dev-run and --dev-qrels go together')
  }
  return { train, dev: undefined }
}

async function openTrainable(values: Values, dimensions: number): Promise<QueryModel> {
  const { AdapterModel, openEncoderModel } = await import('@kith/train')
  const kind = optionalChoice(values, 'adapter', ['linear', 'mlp'])
  const topLayers = optionalWhole(values, 'top-layers', { from: 0 })
  const { name, ...options } = readModelOptions(values)
  if (kind === undefined) return openEncoderModel(name, { ...options, topLayers })
  if (topLayers !== undefined)
    throw new UsageError('--adapter has no layers: leave out --top-layers')
  const seed = optionalWhole(values, 'seed', { from: 0 })
  return new AdapterModel({ kind, dimensions, seed, normalise: isSet(values, 'unit-length') })
}

function stepNote({ loss, rate, labelShare }: StepRecord): string {
  const labels = labelShare > 0 ? `, labels ${(100 * labelShare).toFixed(1)} % of the step` : ''
  return `loss ${loss.toFixed(4)}, rate ${rate.toExponential(2)}${labels}`
}

function validationLine({ step, loss, measures }: ValidationRecord): string {
  const figures = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`)
  return `step ${step}: validation loss ${loss.toFixed(4)} (original labels), ${figures.join(', ')}`
}

/** Draws the validations that a training has made, beside its metrics. */
async function drawCurves(folder: string): Promise<string> {
  const { standaloneSvg, trainingCurves } = await import('@kith/report')
  const file = join(folder, 'curves.svg')
  const picture = standaloneSvg(trainingCurves(await trainingFigure([folder], 'nDCG@10')))
  await writeWhole(file, (write) => write(picture))
  return file
}

function report(
  out: string,
  result: TrainingResult,
  curves: string | undefined,
  output: Output,
): void {
  const { steps, ended, best } = result
  const how = { done: 'all steps done', early: 'ended early', stopped: 'stopped' }[ended]
  if (ended === 'stopped') {
    throw new KithError('BAD_INPUT', `stopped after step ${steps}; the same command goes on`)
  }
  const chosen = best ? `the weights of step ${best.step}, the best` : 'the last weights'
  const lines = [`${out}: ${how} (${steps} steps); ${chosen}`]
  if (curves) lines.push(`${curves}: validation loss and nDCG@10`)
  output.result({ out, ...result, curves }, lines.join('\n'))
}
