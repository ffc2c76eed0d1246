import { type PartialMethodSettings, resolveMethodSettings } from '@kith/core'
import { methodTable, refuseIdle } from '@kith/core/internal'
import { type OpenEmbeddingsOptions, readRun, writeRun } from '@kith/ir'
import type { Tuned } from '@kith/tune'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../hooks.ts'
import { type DocumentPlace, placeOf } from '../join/documents.ts'
import type { Missing, MissingPolicy } from '../join/missing.ts'
import { namingFiles } from '../join/missing-place.ts'
import type { StatisticsSource } from '../join/statistics.ts'
import type { ThenCrossEncode } from './cross-encoding.ts'
import { openCrossEncoding } from './open-cross-encoding.ts'
import type { Measuring, RerankFigures } from './rerank-figures.ts'
import { type RerankFilesPlan, rerankFiles } from './rerank-files.ts'
import { rerankStore } from './rerank-store.ts'

/** The inputs of a reranking. */
export interface RerankInputs extends DocumentPlace, OpenEmbeddingsOptions {
  /** The run to reorder. */
  run: string
  /** Embeddings of its queries. */
  queries: string
  /** The run to write. */
  out: string
  /** Texts of the documents; a store has them itself. With texts, the words are a second view. */
  corpus?: string | undefined
  /** Texts of the queries. */
  queryText?: string | undefined
  /** Judgments: the result has figures before and after. */
  qrels?: string | undefined
  measuring?: Measuring | undefined
  settings?: PartialMethodSettings | undefined
  /** Where the statistics of the words score come from; default: `corpus`, or a store's own. */
  statistics?: StatisticsSource | undefined
  /** The result of a tuning, whose settings are used; where it advises against reranking, the run stays as it is. */
  tuned?: Tuned | undefined
  /** The file that `tuned` was read from: the sidecar names it, and the queries it was tuned on. */
  tunedFile?: string | undefined
  /** Rerank even where tuning advises against it. */
  force?: boolean | undefined
  /** Have a cross-encoder put each query's first documents in order when they are reranked; it reads the texts. */
  thenCrossEncode?: ThenCrossEncode | undefined
  missing?: MissingPolicy | undefined
  /** Threads; the result does not depend on their number. */
  workers?: number | undefined
}

/** The result of a reranking. */
export interface RerankResult {
  out: string
  queries: number
  seconds: number
  /** Queries and candidates that lacked something and were skipped. */
  missing: readonly Missing[]
  /** Figures before and after, where there are judgments. */
  figures?: RerankFigures | undefined
  /** Texts that a cross-encoder scored, and how many of them were longer than it takes. */
  crossEncoded?: { texts: number; cut: number } | undefined
  /** Why the run was left as it was, where tuning advises against reranking. */
  kept?: Pick<Tuned, 'verdict' | 'reason'> | undefined
}

/**
 * Reorders each query's candidates of a run by their reciprocal neighbors, and writes a new run.
 *
 * ```ts
 * const { figures } = await rerankRun({
 *   run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy',
 *   corpus: 'corpus.jsonl', queryText: 'queries.jsonl',
 *   qrels: 'qrels.trec', out: 'better.trec',
 * })
 * ```
 */
export async function rerankRun(inputs: RerankInputs, hooks: Hooks = {}): Promise<RerankResult> {
  const { tuned, missing = 'error' } = inputs
  const settings = tuned?.settings ?? resolveMethodSettings(inputs.settings)
  if (!tuned) refuseIdle(inputs.settings, settings, { texts: !!inputs.queryText }, methodTable)
  const then = inputs.thenCrossEncode
  const crossEncoding = then && (await openCrossEncoding(then, { ...inputs, missing }, hooks))
  try {
    const plan = { ...inputs, settings, missing, crossEncoding }
    const result = await namingFiles(inputs, () => rerankPlan(plan, hooks))
    if (!crossEncoding) return result
    const lacking = [...result.missing, ...crossEncoding.report.list()]
    return { ...result, missing: lacking, crossEncoded: crossEncoding.counts }
  } finally {
    await crossEncoding?.close()
  }
}

type Plan = Omit<RerankFilesPlan, 'docs'> & DocumentPlace

async function rerankPlan(plan: Plan, hooks: Hooks): Promise<RerankResult> {
  const { tuned } = plan
  if (tuned?.verdict === 'keep-run' && !plan.force) return keepRun(plan, tuned, hooks)
  const place = placeOf(plan)
  return 'store' in place
    ? rerankStore({ ...plan, store: place.store }, hooks)
    : rerankFiles({ ...plan, docs: place.docs }, hooks)
}

/** Takes the run as it is, where tuning found that reranking does not help. */
async function keepRun(
  { run, out, crossEncoding }: Plan,
  { verdict, reason }: Tuned,
  hooks: Hooks,
): Promise<RerankResult> {
  const old = await readRun(run)
  await writeRun(out, crossEncoding ? crossEncoding.reorder(old, hooks) : old)
  const thenCrossEncode = crossEncoding?.settings
  await writeSidecar(out, 'rerank', { verdict, thenCrossEncode }, [run])
  return { out, queries: 0, seconds: 0, missing: [], kept: { verdict, reason } }
}
