import { KithError, type PartialMethodSettings, resolveMethodSettings } from '@kith/core'
import { type OpenEmbeddingsOptions, readRun, writeRun } from '@kith/ir'
import type { Tuned } from '@kith/tune'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../hooks.ts'
import { type DocumentPlace, placeOf } from '../join/documents.ts'
import type { Missing, MissingPolicy } from '../join/missing.ts'
import type { StatisticsSource } from '../join/statistics.ts'
import type { Measuring, RerankFigures } from './rerank-figures.ts'
import { rerankFiles } from './rerank-files.ts'
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
  /** Judgements: the result has figures before and after. */
  qrels?: string | undefined
  measuring?: Measuring | undefined
  settings?: PartialMethodSettings | undefined
  /** Where the statistics of the words score come from; default: `corpus`, or a store's own. */
  statistics?: StatisticsSource | undefined
  /** The result of a tuning, whose settings are used; where it advises against reranking, the run stays as it is. */
  tuned?: Tuned | undefined
  /** Rerank even where tuning advises against it. */
  force?: boolean | undefined
  /** Search all documents again with the vector of `average` or `rocchio`. */
  searchAgain?: boolean | undefined
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
  /** Figures before and after, where there are judgements. */
  figures?: RerankFigures | undefined
  /** Why the run was left as it was, where tuning advises against reranking. */
  kept?: Pick<Tuned, 'verdict' | 'reason'> | undefined
}

/**
 * Reorders each query's candidates of a run by their reciprocal neighbours, and writes a new run.
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
  const { tuned, searchAgain = false, missing = 'error' } = inputs
  const settings = tuned?.settings ?? resolveMethodSettings(inputs.settings)
  const { method } = settings
  if (searchAgain && method !== 'average' && method !== 'rocchio') {
    throw new KithError(
      'BAD_SETTING',
      `only average and rocchio make a vector to search again with, ${method} does not`,
    )
  }
  if (tuned?.verdict === 'keep-run' && !inputs.force) return keepRun(inputs, tuned)
  const place = placeOf(inputs)
  const plan = { ...inputs, settings, missing, searchAgain }
  return 'store' in place
    ? rerankStore({ ...plan, store: place.store }, hooks)
    : rerankFiles({ ...plan, docs: place.docs }, hooks)
}

/** Copies the run unchanged, where tuning found that reranking does not help. */
async function keepRun({ run, out }: RerankInputs, tuned: Tuned): Promise<RerankResult> {
  await writeRun(out, await readRun(run))
  const { verdict, reason } = tuned
  await writeSidecar(out, 'rerank', { verdict }, [run])
  return { out, queries: 0, seconds: 0, missing: [], kept: { verdict, reason } }
}
