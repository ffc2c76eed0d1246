import { basename, join } from 'node:path'
import { writeAtomic } from '@kith/ir'
import { trainingFigure, writeSidecar } from '@kith/pipelines/internal'
import type { StepRecord, TrainingResult, ValidationRecord } from '@kith/train'
import { type CutQueries, remarkCutQueries } from '../old/cut-queries.ts'
import { defineCommand } from '../options/command.ts'
import { modelSettings, openTraining, trainingOptions } from '../options/training-setup.ts'
import { text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** What a training leaves in its folder. */
const trainingResults = [
  ...['model.safetensors', 'config.json', 'tokenizer.json', 'tokenizer_config.json'],
  ...['modules.json', '1_Pooling/config.json', 'adapter.safetensors', 'metrics.jsonl'],
  ...['checkpoints/latest.safetensors', 'checkpoints/best.safetensors'],
  ...['curves.svg', 'curves.html'],
]

/** `kith train`: a better query encoder, or adapter, for fixed document embeddings. */
export const trainCommand = defineCommand({
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
    ...trainingOptions,
    labels: { value: 'FILE', file: 'input', help: 'their targets, by kith labels (JSONL)' },
    out: {
      value: 'FOLDER',
      file: 'output',
      help: 'the trained model, checkpoints, metrics.jsonl',
      required: true,
    },
  },
  writes: (values) => trainingResults.map((name) => join(text(values, 'out'), name)),
  async run(values, output, stop) {
    const { train } = await import('@kith/train')
    const out = text(values, 'out')
    const setup = await openTraining(values, output)
    const { queries, validation, settings } = setup
    try {
      const model = await setup.openModel()
      const cut = remarkCutQueries(model, setup, output)
      const progress = output.progress('training', settings.steps!)
      const result = await stop.heed(
        async (signal) => {
          const made = await train({
            ...{ model, documents: setup.docs, queries, validation, settings, out },
            documentsVersion: setup.docsVersion,
            ...setup.device,
            resume: true,
            signal,
            onStep: (record) => progress.update(record.step, stepNote(record)),
            onValidation: (record) => output.remark(validationLine(record)),
          }).finally(() => progress.end())
          if (made.ended === 'stopped') {
            output.remark(
              `${out}: the checkpoint of step ${made.steps} of ${settings.steps} is saved`,
            )
            signal.throwIfAborted()
          }
          return made
        },
        {
          onStop: () => output.remark('stopping: finishing the step under way and saving it'),
          next: `the same command goes on with the checkpoint in ${out}`,
        },
      )
      const made = { ...settings, ...modelSettings(values), maxTokens: model.maxTokens }
      await writeSidecar(out, 'train', made, setup.files, { cut })
      const curves = validation && (await drawCurves(out))
      report(out, { ...result, cut }, curves, output)
    } finally {
      setup.close()
    }
  },
})

function stepNote({ loss, learningRate, labelShare }: StepRecord): string {
  const labels = labelShare > 0 ? `, labels ${(100 * labelShare).toFixed(1)} % of the step` : ''
  return `loss ${loss.toFixed(4)}, rate ${learningRate.toExponential(2)}${labels}`
}

function validationLine({ step, loss, measures }: ValidationRecord): string {
  const figures = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`)
  return `step ${step}: validation loss ${loss.toFixed(4)} (original labels), ${figures.join(', ')}`
}

/** Draws the validations that a training has made, beside its metrics: a picture and a page. */
async function drawCurves(folder: string): Promise<string> {
  const { renderReport, standaloneSvg, trainingCurves } = await import('@kith/report')
  const figure = await trainingFigure([folder], 'nDCG@10')
  const [picture, page] = [join(folder, 'curves.svg'), join(folder, 'curves.html')]
  await writeAtomic(picture, (write) => write(standaloneSvg(trainingCurves(figure))))
  const html = renderReport({ title: `Training ${basename(folder)}`, figures: [figure] })
  await writeAtomic(page, (write) => write(html))
  return page
}

function report(
  out: string,
  result: TrainingResult & { cut: CutQueries },
  curves: string | undefined,
  output: Output,
): void {
  const { steps, ended, best } = result
  const how = ended === 'early' ? 'ended early' : 'all steps done'
  const chosen = best ? `the weights of step ${best.step}, the best` : 'the last weights'
  const lines = [`${out}: ${how} (${steps} steps); ${chosen}`]
  if (curves) lines.push(`${curves}: validation loss and nDCG@10`)
  output.result({ out, ...result, curves }, lines.join('\n'))
}
