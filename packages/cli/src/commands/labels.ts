import { labelPresets } from '@kith/core'
import { labelFormats, labelValues, labelWork, layoutOf } from '@kith/pipelines/job'
import {
  type DistilInputs,
  distilRun,
  type LabelInputs,
  type LabelResult,
  type LabelSummary,
  labelRun,
  type MergeResult,
  mergeLabels,
  submitLabels,
} from '@kith/pipelines/labels'
import { defineCommand, type Options, rare, type Values } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { DISTIL, readDistilSettings, targetOption } from '../options/distil-options.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { labelSettingOptions, readLabelSettings } from '../options/setting-options.ts'
import {
  joinOptions,
  levelOption,
  readJoinOptions,
  readMissing,
  readShard,
  readTexts,
  shardOption,
  textOptions,
} from '../options/shared-options.ts'
import {
  readSource,
  readSubmission,
  storeOption,
  submitOption,
  tellSubmitted,
} from '../options/store-options.ts'
import {
  isSet,
  neededFile,
  optionalChoice,
  optionalText,
  optionalWhole,
  text,
  texts,
  UsageError,
} from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** The options of `kith labels`. */
export const labelOptions = {
  run: {
    value: 'FILE',
    file: 'input',
    help: 'run with the candidates of the training queries',
    required: true,
  },
  queries: { value: 'FILE', file: 'input', help: 'query embeddings' },
  docs: {
    value: 'FILE',
    file: 'input',
    help: 'document embeddings (default: the vectors of a run in Parquet)',
  },
  ...storeOption,
  qrels: { value: 'FILE', file: 'input', help: 'relevance judgments' },
  out: { value: 'FILE', file: 'output', help: 'output file for the labels' },
  ...submitOption,
  ...levelOption,
  format: {
    value: 'NAME',
    help: 'output format; formats with texts accept :probability or :logit after the name, such as listwise:logit',
    default: 'from the extension of --out, or jsonl',
  },
  negatives: {
    value: 'N',
    help: 'number of negatives per row in formats with texts, never judged relevant; queries with fewer are left out',
    default: '2 × (labelDepth − 1), at most half of contextSize; 4 for hard-negatives',
  },
  ...textOptions,
  texts: { help: 'compare documents by their texts, too (needs --corpus and --query-text)' },
  ...shardOption,
  ...labelSettingOptions,
  ...targetOption,
  ...joinOptions('queries or documents'),
} satisfies Options

/** The preset whose evidence needs texts. */
const WITH_TEXTS = 'joint-texts'

/** Reads the inputs of `--target distil`; returns undefined for other targets. */
async function readDistilInputs(
  values: Values<typeof labelOptions>,
): Promise<DistilInputs | undefined> {
  const settings = await readDistilSettings(values)
  if (!settings) return undefined
  const unused = (['queries', 'docs', 'store', 'qrels', 'texts', 'submit'] as const).find(
    (name) => values[name] !== undefined,
  )
  if (unused !== undefined) {
    throw new UsageError(
      `--target distil takes labels from the scores of --run; leave out --${unused}`,
    )
  }
  const layout = readLayout(values)
  layoutOf({ ...layout, out: values.out ?? '' }, 1)
  return {
    ...settings,
    ...readTexts(values),
    ...layout,
    run: text(values, 'run'),
    out: neededFile(values, 'out'),
    missing: readMissing(values),
    shard: readShard(values),
  }
}

/** Reads the values of `labelOptions`. Without --out, no file is written. */
export async function readLabelInputs(
  values: Values<typeof labelOptions>,
): Promise<{ inputs: LabelInputs; recipe: string }> {
  const source = readSource(values)
  const texts = isSet(values, 'texts') || optionalText(values, 'preset') === WITH_TEXTS
  const { settings, recipe } = await readLabelSettings(values, { texts })
  const inputs: LabelInputs = {
    ...source,
    ...readTexts(values, source),
    ...readJoinOptions(values),
    run: text(values, 'run'),
    queries: neededFile(values, 'queries'),
    qrels: neededFile(values, 'qrels'),
    out: text(values, 'out'),
    texts,
    level: optionalWhole(values, 'level'),
    settings,
    ...readLayout(values),
    shard: readShard(values),
  }
  labelWork(inputs, 'store' in source)
  return { inputs, recipe }
}

/** Reads the output layout of the labels. */
function readLayout(
  values: Values<typeof labelOptions>,
): Pick<LabelInputs, 'format' | 'values' | 'negatives'> {
  const [format, kind, ...more] = optionalText(values, 'format')?.split(':') ?? []
  const isKind = kind === undefined || (labelValues as readonly string[]).includes(kind)
  if (!isKind || more.length > 0) {
    const problem = `takes ${labelValues.join(' or ')} after the colon`
    throw new UsageError(`--format ${problem}, got ${JSON.stringify(values.format)}`)
  }
  return {
    format: optionalChoice({ format }, 'format', labelFormats),
    values: kind as LabelInputs['values'],
    negatives: optionalWhole(values, 'negatives'),
  }
}

/** `kith labels`: turns sparse judgments into training labels. */
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
    // A teacher's scores come from its run; the other files of a dataset have no effect.
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

/** `kith labels merge`: merges shards of labels into one file. */
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

/** The column in which the figures begin. */
const WIDTH = 36

/** Formats figures by which a person can judge the labels. */
function summaryLines(summary: LabelSummary): string[] {
  const { queries, leftOut } = summary
  const share = (count: number): string => `${((100 * count) / Math.max(1, queries)).toFixed(1)} %`
  const lines = [`queries with labels                 ${queries}`]
  for (const [why, count] of Object.entries(leftOut)) {
    lines.push(`left out: ${why} `.padEnd(WIDTH) + count)
  }
  if (queries === 0) return lines
  const carriers = `${(summary.carriers / queries).toFixed(2)} on average`
  // Labels by a teacher have no ground truth.
  if (summary.groundTruthMass === 0) {
    return [...lines, `documents with 90 % of a label      ${carriers}`]
  }
  return [
    ...lines,
    `mean probability on ground truth    ${(summary.groundTruthMass / queries).toFixed(4)}`,
    `documents with 90 % of a label      ${carriers}`,
    `ground truth not ranked first       ${summary.groundTruthNotHighest} (${share(summary.groundTruthNotHighest)})`,
  ]
}

/** Prints the result of `kith labels`. */
function tellLabeled(output: Output, { out, seconds, summary }: LabelResult): void {
  output.result({ out, seconds, ...summary }, [`${out}:`, ...summaryLines(summary)].join('\n'))
}

/** Prints the result of merging shards. */
function tellMerged(output: Output, { out, shares, summary }: MergeResult): void {
  output.result(
    { out, shares, ...summary },
    [`${out}: ${shares} shards`, ...summaryLines(summary)].join('\n'),
  )
}
