import { type MethodSettings, type Ranking, Reranker } from '@kith/core'
import { extendRanking } from '@kith/core/internal'
import type { RankedQuery } from '@kith/ir'
import {
  type ListedRanking,
  type RankingForm,
  RankingLines,
  type SharedRowIds,
  sharedRowIds,
} from '@kith/ir/internal'
import { type ContextSources, ContextVectors } from '../join/context-vectors.ts'
import { Join } from '../join/join.ts'
import { ListedDocuments } from '../join/listed-documents.ts'
import type { MissingIds, MissingPolicy } from '../join/missing.ts'
import { RowTexts, type SharedRowTexts } from '../join/row-texts.ts'
import type { Job } from '../tasks/job.ts'
import { rankingsOf, type SliceTask } from '../tasks/open-run.ts'
import { strictlyFalling } from './new-rankings.ts'
import { type RerankTask, rerankTask } from './rerank-tasks.ts'

/** Everything that reranking a run's slices takes, in a form that can be handed to a worker thread. */
export interface RerankSliceInputs extends ContextSources {
  /** The ids of their rows. */
  ids: { queries: SharedRowIds; docs: SharedRowIds }
  /** The texts, where the words count. */
  texts: SharedRowTexts | undefined
  settings: MethodSettings
  missing: MissingPolicy
  /** How many of a query's first candidates are looked at. */
  lookedAt: number
  /** The file that the rankings go to; without one they come back as they are. */
  form: RankingForm | undefined
}

/** A slice of the run, reranked. */
export interface RerankedSlice {
  /** Its part of the file, or its rankings where there is no file. */
  lines: Uint8Array<ArrayBuffer> | undefined
  rankings: RankedQuery[]
  /** How many queries it has, and how many of them were reranked. */
  queries: number
  reranked: number
  /** The ids that lack something; where that is an error, nothing was reranked. */
  missing: MissingIds[]
}

/** Reranks slice after slice: reads its rankings, joins them, ranks them, and formats the result. */
export async function openRerankSliceJob(
  inputs: RerankSliceInputs,
): Promise<Job<SliceTask, RerankedSlice>> {
  const { settings, missing, lookedAt, form } = inputs
  const contexts = await ContextVectors.open(inputs)
  const queries = sharedRowIds(inputs.ids.queries)
  const docs = sharedRowIds(inputs.ids.docs)
  const texts = inputs.texts && new RowTexts(inputs.texts, queries)
  const reranker = new Reranker(settings)
  const lines = form && new RankingLines(form)
  const rankings: RankedQuery[] = []

  const add = (ranking: ListedRanking): void => {
    const { query, ids, rows, scores } = ranking
    if (lines) lines.add(ranking)
    else rankings.push({ query, ids: Array.from(rows, (row) => ids.get(row)), scores })
  }

  const rank = (task: RerankTask): Ranking =>
    contexts.use(task, ({ vector, vectors }) => {
      if (!texts) return reranker.rerank(vector, vectors)
      const candidates = { vectors, texts: Array.from(task.texts, (text) => texts.document(text)) }
      return reranker.rerank({ vector, text: texts.query(task.text) }, candidates)
    })

  return {
    run(slice) {
      const { queries: names, starts, order, documents: ids, scores } = rankingsOf(slice)
      const join = new Join({ queries, docs: new ListedDocuments(docs, ids), texts }, missing)
      let reranked = 0
      for (const [i, query] of names.entries()) {
        const rows = order.subarray(starts[i]!, starts[i + 1]!)
        const task = rerankTask(query, rows, join, { texts, lookedAt })
        // Where something must not be missing and is, only the count of all that is matters.
        if (missing === 'error' && join.report.size > 0) continue
        if (!task) add({ query, ids, rows, scores: Float64Array.from(rows, (row) => scores[row]!) })
        else {
          const { order: best, scores: better } = extendRanking(rank(task), task.places.length)
          const places = best.map((candidate) => rows[task.places[candidate]!]!)
          add({ query, ids, rows: places, scores: strictlyFalling(better) })
          reranked++
        }
      }
      const counts = { queries: names.length, reranked }
      const made = { lines: lines?.take(), rankings: rankings.splice(0) }
      return { ...made, ...counts, missing: join.report.all() }
    },
    close: () => contexts.close(),
  }
}
