import { readFile } from 'node:fs/promises'
import { methodTable } from '@kith/core/internal'
import { formatByName } from '@kith/ir/internal'
import { listTable } from '@kith/pipelines/job'
import type { RerankInputs, ThenCrossEncode } from '@kith/pipelines/rerank'
import { type Options, rare, type Values } from './command.ts'
import { datasetOptions } from './dataset-options.ts'
import { setOptionsOf } from './set-option.ts'
import {
  namesTexts,
  readRanking,
  readStatisticsSource,
  settingOptions,
  statisticsOption,
} from './setting-options.ts'
import {
  joinOptions,
  readJoinOptions,
  readShard,
  readTexts,
  shardOption,
  textOptions,
} from './shared-options.ts'
import { readSource, storeOption, submitOption } from './store-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, optionalText, text } from './values.ts'

/** The options of `kith rerank`. */
export const rerankOptions = {
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
    joinOptions('queries or candidates', 'skip (keeps them behind the reranked documents)'),
    ...['missing', 'workers'],
  ),
} satisfies Options

type RerankValues = Values<typeof rerankOptions>

/** The values of `rerankOptions`; --out is given, or no file is written. */
export async function readRerankInputs(values: RerankValues): Promise<RerankInputs> {
  const given = { texts: namesTexts(values), beside: listTable }
  const { settings, tuned, more: list } = await readRanking(values, given)
  const source = readSource(values)
  const shard = readShard(values)
  if (shard.count > 1 && values.filled?.includes('out')) {
    throw new UsageError('--shard needs --out; name one output file per shard')
  }
  // Judgments of a dataset do not measure a part of its queries.
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

/** The cutoff, and the files that it estimates relevance with. */
async function readRelevance(
  values: RerankValues,
): Promise<Pick<RerankInputs, 'cutoff' | 'background' | 'calibration'>> {
  const cutoff = readCutoff(values)
  const files = {
    background: optionalText(values, 'background'),
    calibration: optionalText(values, 'calibration'),
  }
  // The calibration of a dataset is used if it helps and the run needs it.
  if (values.filled?.includes('calibration') && !(await helps(files.calibration))) {
    files.calibration = undefined
  }
  const [given] = Object.entries(files).find(([, file]) => file !== undefined) ?? []
  const column =
    values['query-text'] !== undefined && formatByName(text(values, 'out')) === 'parquet'
  if (given !== undefined && !column && (cutoff === undefined || typeof cutoff === 'number')) {
    if (values.filled?.includes(given)) return { cutoff, background: files.background }
    throw new UsageError(
      `--${given} has no effect without --cutoff auto, a cutoff by relevance, or texts and a .parquet output; leave it out`,
    )
  }
  return { cutoff, ...files }
}

/** Whether a calibration was found to help. */
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

/** Documents that a cross-encoder reranks if --then-cross-encode does not say. */
const FIRST = 10

/** The cross-encoder that the options name, if they name one; it needs texts. */
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
  // Checked before: --corpus and --query-text are given together. A store has the documents' texts.
  if (values['query-text'] === undefined) {
    const needed = 'store' in source ? '--query-text' : '--corpus and --query-text'
    throw new UsageError(`--then-cross-encode needs texts; add ${needed}`)
  }
  return { model: model!, first }
}
