import { join } from 'node:path'
import { fitAdapterFiles, trainFromFiles } from '@kith/pipelines/train'
import { defineCommand, rare } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { DISTIL, targetOption } from '../options/distil-options.ts'
import {
  readFit,
  readTeacher,
  readTraining,
  teacherOptions,
  trainingOptions,
  trainingResults,
} from '../options/training-setup.ts'
import { text } from '../options/values.ts'
import { tellFitted, tellTrained } from '../terminal/tell-trained.ts'

/** `kith train`: a better query encoder, or adapter, for fixed document embeddings. */
export const trainCommand = defineCommand({
  name: 'train',
  description:
    'Only queries learn; document embeddings stay as they are. --adapter linear fits a matrix to query\n' +
    'embeddings, in seconds: to the judgments of --qrels, to Kith’s ranking of the texts in --corpus, or\n' +
    'to both. Otherwise the query encoder is fine-tuned, on judgments, --labels (by kith labels), --target\n' +
    'and a kind of evidence, or a ranking (--target distil with --corpus or --teacher).\n' +
    'A fifth of the training queries is held out to measure search before and after, and to choose the\n' +
    'checkpoint of an encoder (setting holdOut).\n' +
    'Stopped, the same command goes on from the last checkpoint with the same result.',
  example:
    'kith train --adapter linear --docs docs.npy --train-queries queries.npy --train-run run.trec --qrels train.tsv --out adapter',
  dataset: {
    purpose: 'train',
    files: ({ adapter, target, labels }) => ({
      ...{ docs: 'documentEmbeddings', 'train-run': 'run', qrels: 'qrels', out: 'trained' },
      'train-queries': adapter === undefined ? 'queries' : 'queryEmbeddings',
      // Other targets take embeddings only.
      ...(target === DISTIL || (adapter === 'linear' && !target && !labels)
        ? { corpus: 'corpus', ...(adapter === undefined ? {} : { 'query-text': 'queries' }) }
        : {}),
    }),
    opensModel: ({ adapter }) => adapter === undefined,
  },
  options: {
    ...rare(
      trainingOptions,
      ...['docs', 'train-queries', 'train-run', 'qrels', 'model', 'adapter', 'preset', 'set'],
    ),
    ...splitOption,
    target: {
      ...targetOption.target,
      default:
        'judgments; --adapter linear also learns Kith’s ranking of --corpus if queries have no judgments, or about one each',
    },
    ...rare(teacherOptions, 'corpus', 'query-text'),
    labels: {
      value: 'FILE',
      file: 'input',
      help: 'labels of the training queries, by kith labels (JSONL)',
    },
    out: {
      value: 'FOLDER',
      file: 'output',
      help: 'output folder for the trained model',
      required: true,
    },
  },
  writes: (values) => trainingResults.map((name) => join(text(values, 'out'), name)),
  async read(values) {
    const out = text(values, 'out')
    if (values.adapter === 'linear') return { out, fit: { ...(await readFit(values)), out } }
    const { inputs, distil, recipe } = await readTraining(values)
    return { out, train: { ...inputs, teacher: readTeacher(values, distil), out }, recipe }
  },
  async run({ out, fit, train, recipe }, output, stop) {
    const stopped = {
      onStop: () => output.remark('stopping: finishing and saving the current step'),
      next: `run the same command again to resume from the checkpoint in ${out}`,
    }
    if (fit) {
      const run = (signal: AbortSignal) => fitAdapterFiles(fit, output.hooks(signal))
      return tellFitted(output, await stop.heed(run, stopped), fit)
    }
    output.remark(`training by ${recipe}`)
    const run = (signal: AbortSignal) => trainFromFiles(train, output.hooks(signal))
    tellTrained(output, await stop.heed(run, stopped), train)
  },
})
