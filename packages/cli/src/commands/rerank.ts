import { readFile } from 'node:fs/promises'
import { presets } from '@kith/core'
import { methodTable } from '@kith/core/internal'
import { listTable, refuseUnusedRelevance, usesRelevance } from '@kith/pipelines/job'
import {
  type RerankInputs,
  type RerankResult,
  rerankRun,
  submitRerank,
  type ThenCrossEncode,
} from '@kith/pipelines/rerank'
import { defineCommand, type Options, rare, type Values } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { setOptionsOf } from '../options/set-option.ts'
import {
  namesTexts,
  readRanking,
  readStatisticsSource,
  settingOptions,
  statisticsOption,
} from '../options/setting-options.ts'
import {
  joinOptions,
  readJoinOptions,
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
import { isSet, optionalText, text, UsageError } from '../options/values.ts'
import { formatEvaluations } from '../terminal/format-evaluations.ts'
import type { Output } from '../terminal/output.ts'

/** The options of `kith rerank`. */
const rerankOptions = {
  run: { value: 'FILE', file: 'input', help: 'run to rerank', required: true },
  queries: { value: 'FILE', file: 'input', help: 'query embeddings', required: true },
  docs: {
    value: 'FILE',
    file: 'input',
    help: 'document embeddings (default: the vectors of a run in Parquet)',
  },
  ...storeOption,
  out: { value: 'FILE', file: 'output', help: 'output run' },
  ...rare(submitOption),
  ...textOptions,
  ...rare(statisticsOption),
  qrels: {
    value: 'FILE',
    file: 'input',
    help: 'relevance judgments; prints measures before and after',
  },
  force: { help: 'rerank even if kith tune found the original ranking better' },
  'then-cross-encode': {
    rare: true,
    value: 'MODEL:N',
    help: 'rerank the first N documents of each query (10 without :N) by a cross-encoder: a folder, or a name on the hub such as cross-encoder/ms-marco-MiniLM-L-6-v2',
  },
  cutoff: {
    value: 'N',
    help: 'documents per query to write: N, auto or relevance:0.5 (these two need texts, and kith background)',
  },
  background: {
    rare: true,
    value: 'FILE',
    file: 'input',
    help: 'file of kith background, for --cutoff and for relevance in a .parquet run',
    default: 'the file beside --docs, or the store’s',
  },
  calibration: {
    rare: true,
    value: 'FILE',
    file: 'input',
    help: 'file of kith calibrate, for --cutoff and for relevance in a .parquet run',
  },
  ...rare(shardOption),
  ...settingOptions,
  ...setOptionsOf({ ...methodTable, ...listTable }),
  ...datasetOptions,
  ...rare(
    joinOptions('queries or candidates', 'skip (keeps them below the reranked documents)'),
    ...['missing', 'workers'],
  ),
} satisfies Options

type RerankValues = Values<typeof rerankOptions>

/** Reads the values of `rerankOptions`. Without --out, no file is written. */
async function readRerankInputs(values: RerankValues): Promise<RerankInputs> {
  const given = { texts: namesTexts(values), beside: listTable }
  const { settings, tuned, more: list } = await readRanking(values, given)
  const source = readSource(values)
  const shard = readShard(values)
  if (shard.count > 1 && values.filled?.includes('out')) {
    throw new UsageError('--shard needs --out; name one output file per shard')
  }
  // The judgments of a dataset cannot evaluate a shard of its queries.
  const unmeasured = shard.count > 1 && values.filled?.includes('qrels')
  return {
    ...source,
    ...readTexts(values, source),
    ...readJoinOptions(values),
    run: text(values, 'run'),
    queries: text(values, 'queries'),
    out: text(values, 'out'),
    qrels: unmeasured ? undefined : optionalText(values, 'qrels'),
    shard,
    settings: tuned ? undefined : settings,
    statistics: readStatisticsSource(values),
    tuned,
    tunedFile: tuned && optionalText(values, 'settings'),
    force: isSet(values, 'force'),
    thenCrossEncode: readThenCrossEncode(values, source),
    ...(await readRelevance(values)),
    list: Object.keys(list).length > 0 ? list : undefined,
  }
}

/** Reads the cutoff and the files that it needs to estimate relevance. */
async function readRelevance(
  values: RerankValues,
): Promise<Pick<RerankInputs, 'cutoff' | 'background' | 'calibration'>> {
  const read = {
    cutoff: readCutoff(values),
    background: optionalText(values, 'background'),
    calibration: optionalText(values, 'calibration'),
  }
  const run = { out: text(values, 'out'), queryText: optionalText(values, 'query-text') }
  // The calibration of a dataset is used only if this run needs it and the calibration helps.
  if (values.filled?.includes('calibration')) {
    const isUsed = usesRelevance({ ...run, ...read }) && (await helps(read.calibration))
    if (!isUsed) read.calibration = undefined
  }
  refuseUnusedRelevance({ ...run, ...read })
  return read
}

/** Returns whether a calibration was measured to help. */
async function helps(file: string | undefined): Promise<boolean> {
  if (file === undefined) return false
  const kept: unknown = await readFile(file, 'utf8').then(JSON.parse, () => undefined)
  return (kept as { helps?: unknown } | undefined)?.helps === 'yes'
}

function readCutoff(values: RerankValues): RerankInputs['cutoff'] {
  const given = optionalText(values, 'cutoff')
  if (given === undefined || given === 'auto') return given
  const [, relevance] = /^relevance:(0?\.\d+|0|1)$/.exec(given) ?? []
  if (relevance !== undefined) return { relevance: Number(relevance) }
  if (/^[1-9]\d*$/.test(given)) return Number(given)
  throw new UsageError(`--cutoff must be auto, a number of hits or relevance:0.5, got ${given}`)
}

/** How many documents a cross-encoder reranks if --then-cross-encode does not say. */
const FIRST = 10

/** Reads the cross-encoder that the options name, if any. A cross-encoder needs texts. */
function readThenCrossEncode(
  values: RerankValues,
  source: { docs: string } | { store: string },
): ThenCrossEncode | undefined {
  const given = optionalText(values, 'then-cross-encode')
  if (given === undefined) return undefined
  const [, model, count] = /^(.+?)(?::(\d+))?$/s.exec(given)!
  const first = Number(count ?? FIRST)
  if (first === 0) {
    throw new UsageError(
      `--then-cross-encode must rerank at least 1 document, such as MODEL:10, got ${given}`,
    )
  }
  // The caller has checked that --corpus and --query-text are both set or both missing. A store has
  // the documents' texts.
  if (values['query-text'] === undefined) {
    const needed = 'store' in source ? '--query-text' : '--corpus and --query-text'
    throw new UsageError(`--then-cross-encode needs texts; add ${needed}`)
  }
  return { model: model!, first }
}

/** `kith rerank`: reranks a run. */
export const rerankCommand = defineCommand({
  name: 'rerank',
  description:
    'Reranks a run (.trec, .tsv, .json or .parquet) with the embeddings it came from. Add the texts\n' +
    'of documents and queries (--corpus, --query-text) to include BM25 scores, which helps most. The\n' +
    'terms of the corpus are counted on each run unless --term-statistics names a file. With judgments\n' +
    '(--qrels), prints measures before and after, and says when reranking made them worse; kith eval\n' +
    'has other measures. Other methods (--set method=…) are for comparison.\n' +
    '--then-cross-encode MODEL reranks each query’s first ten reranked documents by a cross-encoder; the\n' +
    'other documents stay below. Each rank keeps its score, so that scores still decrease.\n' +
    '--shard 3/16 reranks one shard of the queries; the shards together are the whole run.\n' +
    'Documents can also be in a store (--store) with their texts and term statistics; --submit queues\n' +
    'the work for kith work on any number of machines.\n' +
    `Presets: ${Object.keys(presets).join(', ')}.`,
  example:
    'kith rerank --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --out better.trec --qrels qrels.trec',
  dataset: {
    purpose: 'measure',
    files: { ...judgedFiles, out: 'reranked' },
    kept: { 'term-statistics': 'termStatistics', calibration: 'calibration' },
  },
  options: rerankOptions,
  async read(values) {
    const inputs = await readRerankInputs(values)
    const submission = readSubmission(values)
    if (submission && inputs.tuned?.verdict === 'keep-run' && !inputs.force) {
      throw new UsageError(
        'kith tune found the original ranking better; add --force to submit the batch anyway',
      )
    }
    return { inputs, submission }
  },
  async run({ inputs, submission }, output) {
    if (!submission) return tellReranked(output, await rerankRun(inputs, output.hooks()))
    tellSubmitted(output, await submitRerank(inputs, submission, output.hooks()))
  },
})

/**
 * Prints the result: the number of queries, the latency, and the measures if there are judgments.
 */
function tellReranked(output: Output, result: RerankResult): void {
  const { out, queries, seconds, figures, kept, crossEncoded, folded } = result
  if (kept) {
    const but = crossEncoded ? 'reordered by the cross-encoder only' : 'unchanged'
    const why = `the original ranking, ${but}. ${kept.reason} (add --force to rerank anyway)`
    output.result({ out, ...kept, crossEncoded }, `${out}: ${why}`)
    return
  }
  const read = crossEncoded ? `, ${crossEncoded.texts} texts read by the cross-encoder` : ''
  const rate = `${Math.round(queries / seconds)}/s`
  const speed = `${queries} queries reranked${read} in ${seconds.toFixed(1)} s (${rate})`
  const left =
    folded === undefined ? [] : [`${folded} documents folded into a higher-ranked document`]
  if (!figures) {
    output.result(
      { out, queries, seconds, crossEncoded, folded },
      [`${out}: ${speed}`, ...left].join('\n'),
    )
    return
  }
  const { verdict } = figures
  const table = formatEvaluations('table', figures, false).trimEnd()
  const json = JSON.parse(formatEvaluations('json', figures, false))
  output.result(
    { out, queries, seconds, crossEncoded, folded, ...json, verdict },
    [`${out}: ${speed}`, '', table, '', verdict, ...left].join('\n'),
  )
}
