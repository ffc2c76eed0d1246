import { labelPresets } from '@kith/core'
import { labelFormats } from '@kith/pipelines/job'
import { distilRun, labelRun, mergeLabels, submitLabels } from '@kith/pipelines/labels'
import { defineCommand, rare } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { DISTIL } from '../options/distil-options.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { labelOptions, readDistilInputs, readLabelInputs } from '../options/label-options.ts'
import { readSubmission } from '../options/store-options.ts'
import { text, texts } from '../options/values.ts'
import { tellLabeled, tellMerged } from '../terminal/tell-labeled.ts'
import { tellSubmitted } from '../terminal/tell-reranked.ts'

/** `kith labels`: sparse judgments in, training labels out. */
export const labelsCommand = defineCommand({
  name: 'labels',
  description:
    'For each query of a run that has judged relevant documents (--qrels), gives a part of their\n' +
    'probability to the candidates that are most similar to them within the query’s own context.\n' +
    'Can be stopped at any moment: the same command goes on where it was, and the file is the\n' +
    'same in the end. --shard 3/16 does one share; kith labels merge joins shares. Documents may\n' +
    'also be in a store (--store); --submit leaves the work to kith work on any number of machines.\n' +
    'Without judgments, --target distil makes labels of a better ranking: --run is then a run of\n' +
    'kith rerank, of a cross-encoder or of anything else, whose scores become the labels.\n' +
    `Formats: ${labelFormats.join(', ')} (docs/labels.md shows how each is loaded).\n` +
    `Presets: ${Object.keys(labelPresets).join(', ')}.`,
  example:
    'kith labels --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --out labels.jsonl',
  dataset: {
    purpose: 'train',
    // A teacher's scores are its run's: nothing else of a dataset counts.
    files: ({ target }) =>
      target === DISTIL
        ? { run: 'reranked', corpus: 'corpus', 'query-text': 'queries', out: 'labels' }
        : { ...judgedFiles, out: 'labels' },
  },
  options: {
    ...rare(
      labelOptions,
      ...['run', 'queries', 'docs', 'qrels', 'corpus', 'query-text', 'out', 'format', 'preset'],
      ...['target', 'texts', 'set', 'settings', 'workers'],
    ),
    ...datasetOptions,
  },
  async run(values, output) {
    const distil = await readDistilInputs(values)
    if (distil) return tellLabeled(output, await distilRun(distil, output.hooks()))
    const { inputs, recipe } = await readLabelInputs(values)
    output.remark(`labels by ${recipe}`)
    const submission = readSubmission(values)
    if (!submission) return tellLabeled(output, await labelRun(inputs, output.hooks()))
    tellSubmitted(output, await submitLabels(inputs, submission, output.hooks()))
  },
})

/** `kith labels merge`: shares in, the whole out. */
export const mergeCommand = defineCommand({
  name: 'labels merge',
  description:
    'Joins shares in the order of their queries, whatever the order they are named in. Gaps,\n' +
    'overlaps, shares of other settings or inputs, and shares that were cut or changed since they\n' +
    'were made are refused: each share has its .meta.json beside it, which tells.',
  example: 'kith labels merge labels-1.jsonl labels-2.jsonl --out labels.jsonl',
  rest: { value: 'SHARE…', file: 'input', help: 'the files of all shares' },
  options: { out: { value: 'FILE', file: 'output', help: 'the labels to write', required: true } },
  async run(values, output) {
    const inputs = { shares: texts(values, 'rest'), out: text(values, 'out') }
    tellMerged(output, await mergeLabels(inputs))
  },
})
