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
    'For each query with documents judged relevant (--qrels), gives part of their probability to the\n' +
    'candidates that are most similar to them in the query’s context. You can stop the command at any\n' +
    'time: run it again to resume; the output is the same. --shard 3/16 processes one shard; kith labels\n' +
    'merge merges all shards. Documents can also be in a store (--store); --submit queues the work for\n' +
    'kith work on any number of machines.\n' +
    'An adapter trained on the default target, mixed, is as good as an adapter trained on the judgments\n' +
    'alone (one-hot), not better.\n' +
    'Without judgments, --target distil turns the scores of --run into labels: a run of kith rerank, of\n' +
    'a cross-encoder, or of any other system.\n' +
    `Formats: ${labelFormats.join(', ')} (docs/labels.md shows how to load each format).\n` +
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
  async read(values) {
    const distil = await readDistilInputs(values)
    if (distil) return { distil }
    const read = await readLabelInputs(values)
    return { labels: { ...read, submission: readSubmission(values) } }
  },
  async run({ distil, labels }, output) {
    if (distil) return tellLabeled(output, await distilRun(distil, output.hooks()))
    const { inputs, recipe, submission } = labels
    output.remark(`label settings: ${recipe}`)
    if (!submission) return tellLabeled(output, await labelRun(inputs, output.hooks()))
    tellSubmitted(output, await submitLabels(inputs, submission, output.hooks()))
  },
})

/** `kith labels merge`: shares in, the whole out. */
export const mergeCommand = defineCommand({
  name: 'labels merge',
  description:
    'Merges shards in the order of their queries; the order of the arguments does not matter. Each\n' +
    'shard needs its .meta.json beside it. Refuses gaps, overlaps, shards with different settings or\n' +
    'inputs, and shards that were truncated or changed.',
  example: 'kith labels merge labels-1.jsonl labels-2.jsonl --out labels.jsonl',
  rest: { value: 'SHARE…', file: 'input', help: 'output files of all shards' },
  options: {
    out: { value: 'FILE', file: 'output', help: 'output file for the labels', required: true },
  },
  async run(values, output) {
    const inputs = { shares: texts(values, 'rest'), out: text(values, 'out') }
    tellMerged(output, await mergeLabels(inputs))
  },
})
