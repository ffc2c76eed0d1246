import {
  type Cutoff,
  KithError,
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
} from '@kith/core'
import { methodTable, refuseIdle } from '@kith/core/internal'
import { type OpenEmbeddingsOptions, type Run, readRun, writeRun } from '@kith/ir'
import type { StoreAddress } from '@kith/stores/address'
import type { Tuned } from '@kith/tune'
import type { Submission, Submitted } from '../batches/submit-batch.ts'
import { writeSidecar } from '../files/sidecar.ts'
import { refuseUnusedRelevance } from '../job/checks.ts'
import type { Hooks } from '../job/hooks.ts'
import { type KeptColumns, keptColumns, withFrame, writeFrame } from '../join/frame.ts'
import {
  type Missing,
  type MissingPolicy,
  type MissingReport,
  namingFiles,
} from '../join/missing.ts'
import type { DefaultTokenizer } from '../join/name-tokenizer.ts'
import { type DocumentPlace, placeOf } from '../join/place.ts'
import type { StatisticsSource } from '../join/statistics.ts'
import { checkShard, type Shard } from '../labels/shares.ts'
import type { CrossEncoding, ThenCrossEncode } from './cross-encoding.ts'
import { checkList } from './list-settings.ts'
import type { RunList } from './list-table.ts'
import type { Measuring, RerankFigures } from './rerank-figures.ts'
import { rerankFiles } from './rerank-files.ts'

/** The inputs of a reranking. */
export interface RerankInputs extends DocumentPlace, OpenEmbeddingsOptions, DefaultTokenizer {
  /** The run to rerank. A Parquet run can contain the embeddings and texts of its documents. */
  run: string
  /** The embeddings of the run's queries. */
  queries: string
  /** The run to write. */
  out: string
  /**
   * The texts of the documents; a store has its own texts. With texts, BM25 scores are used, too.
   */
  corpus?: string | undefined
  /** The texts of the queries. */
  queryText?: string | undefined
  /** The judgments, for figures before and after reranking. */
  qrels?: string | undefined
  measuring?: Measuring | undefined
  settings?: PartialMethodSettings | undefined
  /** The source of term statistics for the BM25 score; default: `corpus`, or the store's own. */
  statistics?: StatisticsSource | undefined
  /**
   * The result of a tuning, whose settings are used; if it advises against reranking, the run stays
   * unchanged.
   */
  tuned?: Tuned | undefined
  /** The file of `tuned`: the sidecar names it, and the queries it was tuned on. */
  tunedFile?: string | undefined
  /** Whether to rerank even if tuning advises against it. */
  force?: boolean | undefined
  /** A cross-encoder that reranks each query's first documents after Kith; it reads the texts. */
  thenCrossEncode?: ThenCrossEncode | undefined
  /** Selects the reranked documents of a query to write; needs texts. */
  cutoff?: Cutoff | undefined
  /**
   * A file made by `kith background`, for `cutoff` and the column `relevance` of a Parquet run;
   * default: the file beside `docs`, or the store's background.
   */
  background?: string | undefined
  /** A file made by `kith calibrate`, for `cutoff` and the column `relevance`. */
  calibration?: string | undefined
  /** Folds near-duplicates, limits the documents per group, and adds priors. */
  list?: RunList | undefined
  /**
   * One of several equal shards of the queries to rerank; the shards together are the whole run.
   */
  shard?: Shard | undefined
  missing?: MissingPolicy | undefined
  /** Number of threads; the result does not depend on it. */
  workers?: number | undefined
}

/** The result of a reranking. */
export interface RerankResult {
  out: string
  queries: number
  seconds: number
  /** The queries and candidates that were skipped because of missing data. */
  missing: readonly Missing[]
  /**
   * Number of documents that `list` folded into others, as near-duplicates or beyond the limit of a
   * group.
   */
  folded?: number | undefined
  /** The figures before and after reranking, if there are judgments. */
  figures?: RerankFigures | undefined
  /** Number of texts that a cross-encoder scored, and of texts that were truncated. */
  crossEncoded?: { texts: number; cut: number } | undefined
  /** Why the run stayed unchanged, if tuning advises against reranking. */
  kept?: Pick<Tuned, 'verdict' | 'reason'> | undefined
}

/**
 * Reranks each query's candidates in a run by reciprocal neighbors and BM25, and writes a new run.
 *
 * ```ts
 * const { figures } = await rerankRun({
 *   run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy',
 *   corpus: 'corpus.jsonl', queryText: 'queries.jsonl',
 *   qrels: 'qrels.trec', out: 'better.trec',
 * })
 * ```
 */
export async function rerankRun(asked: RerankInputs, hooks: Hooks = {}): Promise<RerankResult> {
  const inputs = withFrame(asked)
  const { tuned, missing = 'error' } = inputs
  const settings = tuned?.settings ?? resolveMethodSettings(inputs.settings)
  if (!tuned) refuseIdle(inputs.settings, settings, { texts: !!inputs.queryText }, methodTable)
  checkCutoff(inputs)
  checkList(inputs)
  checkShare(inputs)
  const crossEncoding = await crossEncodingOf({ ...inputs, missing }, hooks)
  try {
    const plan = { ...inputs, settings, missing, crossEncoding, kept: keptColumns(asked) }
    const result = await namingFiles(inputs, () => rerankPlan(plan, hooks))
    if (!crossEncoding) return result
    const lacking = [...result.missing, ...crossEncoding.report.list()]
    return { ...result, missing: lacking, crossEncoded: crossEncoding.counts }
  } finally {
    await crossEncoding?.close()
  }
}

/** Opens the cross-encoder, if any; its modules are loaded only for that. */
async function crossEncodingOf(
  inputs: RerankInputs & { missing: MissingPolicy },
  hooks: Hooks,
): Promise<CrossEncoding | undefined> {
  if (!inputs.thenCrossEncode) return undefined
  const { openCrossEncoding } = await import('./cross-encoding.ts')
  return openCrossEncoding(inputs.thenCrossEncode, inputs, hooks)
}

function checkCutoff(inputs: RerankInputs): void {
  const { cutoff, thenCrossEncode, queryText } = inputs
  const problem = (text: string) => new KithError('BAD_SETTING', text)
  refuseUnusedRelevance(inputs)
  if (cutoff === undefined) return
  if (queryText === undefined) {
    const texts = 'docs' in placeOf(inputs) ? 'corpus and queryText' : 'queryText'
    throw problem(`cutoff needs texts; pass ${texts}`)
  }
  if (thenCrossEncode)
    throw problem('cutoff and thenCrossEncode cannot be combined; leave out one of them')
  if (inputs.tuned?.verdict === 'keep-run' && !inputs.force) {
    throw problem('kith tune advises against reranking; leave out cutoff, or pass force')
  }
}

function checkShare({ shard, qrels, tuned, force, ...inputs }: RerankInputs): void {
  if (shard === undefined || checkShard(shard).count === 1) return
  const problem = (text: string) => new KithError('BAD_SETTING', text)
  if (!('docs' in placeOf(inputs))) {
    throw problem('shard needs docs, a file of embeddings; submit the work on a store instead')
  }
  if (qrels !== undefined) {
    throw problem('shard and qrels cannot be combined; measure when all shards are reranked')
  }
  if (tuned?.verdict === 'keep-run' && !force) {
    throw problem('kith tune advises against reranking; leave out shard, or pass force')
  }
}

/** Inputs with complete settings. */
export interface RerankPlan extends RerankInputs {
  settings: MethodSettings
  missing: MissingPolicy
  /** The cross-encoder that reranks the first documents of the new rankings, if any. */
  crossEncoding: CrossEncoding | undefined
  /** The columns that the new run keeps from the old run. */
  kept: KeptColumns | undefined
}

/** The result of a reranking, after the new run and its sidecar were written. */
export interface Reranked {
  /** Number of reranked queries. */
  queries: number
  seconds: number
  report: MissingReport
  /** Number of documents that the list folded into others. */
  folded?: number | undefined
  /** The old run, if it had to be read into memory. */
  whole?: Run | undefined
}

/**
 * Submits the reranking of a run to workers (`workBatches`, `kith work`) on any number of machines.
 *
 * ```ts
 * await submitRerank({ run: 'run.trec', queries: 'queries.npy', store: 'postgres://localhost/kith'
 * }, { name: 'mine' })
 * ```
 */
export async function submitRerank(
  inputs: Omit<RerankInputs, 'out'>,
  submission: Submission,
  hooks: Hooks = {},
): Promise<Submitted> {
  const { submitToStore } = await import('./rerank-store.ts')
  return submitToStore(inputs, submission, hooks)
}

/** Reranks with the documents of a store; its modules are loaded only for that. */
async function rerankDocumentsOf(
  store: StoreAddress,
  plan: RerankPlan,
  hooks: Hooks,
): Promise<Reranked> {
  const { rerankStore } = await import('./rerank-store.ts')
  return rerankStore(plan, store, hooks)
}

async function rerankPlan(plan: RerankPlan, hooks: Hooks): Promise<RerankResult> {
  const { tuned, run, out, qrels, measuring, crossEncoding } = plan
  if (tuned?.verdict === 'keep-run' && !plan.force) return keepRun(plan, tuned, hooks)
  const place = placeOf(plan)
  const { queries, seconds, report, folded, whole } =
    'store' in place
      ? await rerankDocumentsOf(place.store, plan, hooks)
      : await rerankFiles(plan, place.docs, hooks)
  const result = { out, queries, seconds, folded, missing: report.list() }
  if (qrels === undefined) return result
  const { measureReranking } = await import('./rerank-figures.ts')
  const figures = await measureReranking(qrels, {
    before: { file: run, run: whole },
    reranked: crossEncoding?.before,
    after: out,
    measuring,
    cut: plan.cutoff !== undefined,
    hooks,
  })
  return { ...result, figures }
}

/** Copies the run unchanged, because tuning found that reranking does not help. */
async function keepRun(
  { run, out, memory, kept, crossEncoding }: RerankPlan,
  { verdict, reason }: Tuned,
  hooks: Hooks,
): Promise<RerankResult> {
  const old = await readRun(run)
  const rankings = crossEncoding ? crossEncoding.reorder(old, hooks) : old
  if (kept) await writeFrame({ run, out, memory, kept }, undefined, rankings)
  else await writeRun(out, rankings)
  const thenCrossEncode = crossEncoding?.settings
  await writeSidecar(out, 'rerank', { verdict, thenCrossEncode }, [run])
  return { out, queries: 0, seconds: 0, missing: [], kept: { verdict, reason } }
}
