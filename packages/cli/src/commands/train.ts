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
    'Trains the query side only; document embeddings do not change. Targets come from --labels (made by\n' +
    'kith labels), from --target and its settings (computed for each batch from the query’s context), or\n' +
    'from the judgments. Without judgments, --target distil teaches the ranking of kith rerank (needs\n' +
    '--corpus) or of another run (--teacher). --top-layers N trains the top N layers only: the layers\n' +
    'below run once per query, without dropout. --adapter linear or mlp trains a query adapter;\n' +
    '--train-queries and --dev-queries are then files of query embeddings.\n' +
    'Without --dev-queries, holds out a fifth of the judged queries (--hold-out), reports measures on\n' +
    'them before and after training, searching all documents, and writes their judgments to held-out.trec.\n' +
    'The output is a folder that kith encode and sentence-transformers load. Run the same command again\n' +
    'to resume from the last checkpoint; the final weights are the same.',
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
      help: 'fraction of the judged queries held out for the final test if there are no --dev-queries; 0 trains on all',
      default: defaultText(jobDefaults.holdOut),
    },
    labels: {
      value: 'FILE',
      file: 'input',
      help: 'soft labels of the training queries, made by kith labels (JSONL)',
    },
    out: {
      value: 'FOLDER',
      file: 'output',
      help: 'output folder for the model, its checkpoints and metrics.jsonl',
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
    output.remark(`training settings: ${recipe}`)
    const holdOut = optionalNumber(values, 'hold-out')
    const result = await stop.heed(
      (signal) =>
        trainFromFiles(
          { ...inputs, training: { ...training, labels }, teacher, holdOut, out },
          output.hooks(signal),
        ),
      {
        onStop: () => output.remark('stopping: finishing the current step and saving a checkpoint'),
        next: `run the same command again to resume from the checkpoint in ${out}`,
      },
    )
    tellTrained(output, result, { ...inputs, training })
  },
})
