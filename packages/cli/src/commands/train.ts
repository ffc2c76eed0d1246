import { join } from 'node:path'
import { jobDefaults } from '@kith/pipelines/job'
import { trainFromFiles } from '@kith/pipelines/train'
import { defineCommand, rare } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { defaultText } from '../options/default-text.ts'
import { DISTIL, distilOptions, readTeacher, targetOption } from '../options/distil-options.ts'
import { statisticsOption } from '../options/setting-options.ts'
import { textOptions } from '../options/shared-options.ts'
import { readTraining, trainingOptions } from '../options/training-setup.ts'
import { optionalNumber, optionalText, text } from '../options/values.ts'
import { tellTrained } from '../terminal/tell-trained.ts'

/** The files that a training leaves in its folder. */
const trainingResults = [
  ...['model.safetensors', 'config.json', 'tokenizer.json', 'tokenizer_config.json'],
  ...['modules.json', '1_Pooling/config.json', 'adapter.safetensors', 'metrics.jsonl'],
  ...['checkpoints/latest.safetensors', 'checkpoints/best.safetensors'],
  'checkpoints/lower-layers.bin',
  ...['curves.svg', 'curves.html', 'held-out.trec'],
]

/** `kith train`: a better query encoder, or adapter, for fixed document embeddings. */
export const trainCommand = defineCommand({
  name: 'train',
  description:
    'Only queries learn; the embeddings of the documents stay as they are. Targets: --labels (made by\n' +
    'kith labels), or --target and its settings (made for each batch from the current context), or\n' +
    'else the judgments. Without judgments --target distil teaches the ranking that kith rerank\n' +
    'makes from embeddings and words (it takes --corpus), or that of another run (--teacher).\n' +
    '--top-layers N trains the uppermost layers only: those below run once for each query, without\n' +
    'dropout. --adapter linear or mlp trains a change of fixed query embeddings, which\n' +
    '--train-queries and --dev-queries then are.\n' +
    'Without --dev-queries a fifth of the judged queries is held out (--hold-out): the figures before\n' +
    'and after, on a search of all documents, are those of these queries, which held-out.trec has.\n' +
    'The result is a folder that kith encode and sentence-transformers load. Stopped, the same\n' +
    'command goes on from the last checkpoint with the same weights in the end.',
  example:
    'kith train --model minilm --docs docs.npy --train-queries queries.jsonl --train-run run.trec --qrels train.tsv --dev-queries queries.jsonl --dev-run run.trec --dev-qrels dev.tsv --set inverseTemperature=20 --out trained',
  dataset: {
    purpose: 'train',
    // The corpus is what a teacher reads: other targets take embeddings only.
    files: ({ adapter, target }) => ({
      ...{ docs: 'documentEmbeddings', 'train-run': 'run', qrels: 'qrels', out: 'trained' },
      'train-queries': adapter === undefined ? 'queries' : 'queryEmbeddings',
      ...(target === DISTIL ? { corpus: 'corpus' } : {}),
    }),
    opensModel: ({ adapter }) => adapter === undefined,
  },
  options: {
    ...rare(
      trainingOptions,
      ...['docs', 'train-queries', 'train-run', 'qrels', 'model', 'adapter', 'epochs'],
      ...['learning-rate', 'top-layers', 'preset', 'set', 'settings'],
    ),
    ...splitOption,
    ...targetOption,
    ...rare(distilOptions),
    ...rare(textOptions),
    ...rare(statisticsOption),
    'hold-out': {
      value: 'P',
      help: 'part of the judged queries to test the result on, where there are no --dev-queries; 0 trains on all',
      default: defaultText(jobDefaults.holdOut),
    },
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
    const out = text(values, 'out')
    const labels = optionalText(values, 'labels')
    const { inputs: all, distil, recipe } = await readTraining(values)
    const { training, ...inputs } = all
    const teacher = readTeacher(values, distil)
    output.remark(`training by ${recipe}`)
    const holdOut = optionalNumber(values, 'hold-out')
    const result = await stop.heed(
      (signal) =>
        trainFromFiles(
          { ...inputs, training: { ...training, labels }, teacher, holdOut, out },
          output.hooks(signal),
        ),
      {
        onStop: () => output.remark('stopping: finishing the step under way and saving it'),
        next: `the same command goes on with the checkpoint in ${out}`,
      },
    )
    tellTrained(output, result, { ...inputs, training })
  },
})
