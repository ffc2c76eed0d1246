import type { MethodSettings, TermStatistics } from '@kith/core'
import { type FileEmbeddings, type RankedQuery, writeRun } from '@kith/ir'
import { formatByName, writeRunParts } from '@kith/ir/internal'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { type MissingPolicy, MissingReport, remarkMissing } from '../join/missing.ts'
import type { PreparedTexts } from '../join/prepared-texts.ts'
import { shareRowTexts } from '../join/row-texts.ts'
import { vectorSource } from '../join/vector-rows.ts'
import { type OpenRun, tasksOf } from '../tasks/open-run.ts'
import { runTasks, workersFor } from '../tasks/task-pool.ts'
import type { CrossEncoding } from './cross-encoding.ts'
import type { RerankedSlice } from './rerank-slice.ts'

/** A run and all that reranking it takes, open. */
export interface OpenReranking {
  run: OpenRun
  queries: FileEmbeddings
  docs: FileEmbeddings
  texts: PreparedTexts | undefined
  statistics: TermStatistics | undefined
  /** How many of a query's first candidates are looked at. */
  lookedAt: number
}

/** The files that are named to workers and in errors, and the policies. */
export interface RerankingPlan {
  queries: string
  docs: string
  out: string
  settings: MethodSettings
  missing: MissingPolicy
  workers?: number | undefined
  /** Puts the first documents of the new rankings in order, where there is one. */
  crossEncoding?: CrossEncoding | undefined
}

/** How many queries were reranked, and what was missing. */
export interface Reranked {
  reranked: number
  report: MissingReport
}

/**
 * Reranks a run slice by slice and writes the result. Workers read, rank and format whole slices;
 * this thread only hands them on and writes.
 */
export async function rerankSlices(
  { run, queries, docs, texts, statistics, lookedAt }: OpenReranking,
  plan: RerankingPlan,
  hooks: Hooks,
): Promise<Reranked> {
  const { out, missing, crossEncoding, workers = workersFor(run.queries) } = plan
  const format = formatByName(out)
  const inputs = {
    queries: vectorSource(plan.queries, queries),
    docs: vectorSource(plan.docs, docs),
    ids: { queries: queries.ids.share(), docs: docs.ids.share() },
    texts: texts && shareRowTexts(texts, { queries, docs }),
    settings: { ...plan.settings, statistics },
    ...{ missing, lookedAt },
    form: crossEncoding ? undefined : { file: out, format },
  }
  const answers = runTasks('rerank-slice', inputs, tasksOf(run), workers, { batch: 1 })
  const onDone = stageOf(hooks, 'reranking', run.queries)
  const counts = { queries: 0, reranked: 0 }
  const report = new MissingReport()
  if (crossEncoding) await writeRun(out, crossEncoding.reorder(rankings(), hooks))
  else await writeRunParts(out, format, lines())
  remarkMissing(report, hooks)
  return { reranked: counts.reranked, report }

  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const slice of slices()) yield slice.lines!
  }

  async function* rankings(): AsyncGenerator<RankedQuery> {
    for await (const slice of slices()) yield* slice.rankings
  }

  async function* slices(): AsyncGenerator<RerankedSlice> {
    for await (const [, slice] of answers) {
      yield slice
      note(slice)
    }
    report.check(missing)
  }

  function note({ queries: more, reranked, missing: ids }: RerankedSlice): void {
    report.addAll(ids)
    counts.reranked += reranked
    counts.queries += more
    onDone(counts.queries)
  }
}
