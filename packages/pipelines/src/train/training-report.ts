import type { Embeddings } from '@kith/ir'
import type { QueryModel, TrainingQuery } from '@kith/train'
import { type LearnedQueries, learnedQueries } from '../files/learned-queries.ts'
import type { Hooks } from '../job/hooks.ts'
import type { TrainingMissing } from '../join/missing.ts'
import type { TrainingInputs } from './training-inputs.ts'

/** The queries of a training, and the documents of their rows. */
interface LearnedFrom {
  queries: readonly TrainingQuery[]
  validation?: readonly TrainingQuery[] | undefined
  docs: Embeddings
}

/**
 * Returns the queries by whose judgments, or labels made from judgments, a model was trained or
 * chosen. Leaves out queries for which only a teacher's ranking was learned.
 */
export async function learnedBy(
  { queries, validation = [], docs }: LearnedFrom,
  inputs: Pick<TrainingInputs, 'training' | 'validation' | 'teacher'>,
  what: string,
): Promise<LearnedQueries[]> {
  const { qrels, labels = qrels } = inputs.training
  const chosen = (inputs.validation ?? inputs.training).qrels
  const learned: LearnedQueries[] = []
  const named = (list: readonly TrainingQuery[]) =>
    list.map(({ id, relevant }) => ({ id, relevant: relevant.map((row) => docs.idOf(row)) }))
  if (labels !== undefined) {
    learned.push(await learnedQueries('train', what, qrels ?? labels, named(queries)))
  }
  if (chosen !== undefined && validation.length > 0) {
    const how = 'choose the checkpoint of'
    learned.push(await learnedQueries(how, what, chosen, named(validation)))
  }
  return learned
}

/** Number of truncated queries in a training. */
export interface CutQueries {
  training: number
  validation: number
}

/** Counts the queries that training will truncate, with a remark if there are any. */
export function remarkCutQueries(
  model: QueryModel,
  queries: readonly TrainingQuery[],
  validation: readonly TrainingQuery[],
  hooks: Hooks,
): CutQueries {
  const cut = { training: model.countCut(queries), validation: model.countCut(validation) }
  const parts = [
    [cut.training, queries.length, 'training'] as const,
    [cut.validation, validation.length, 'validation'] as const,
  ].flatMap(([count, all, kind]) => (count > 0 ? [`${count} of ${all} ${kind} queries`] : []))
  if (parts.length > 0) {
    const limit = `${model.maxTokens} tokens (maxTokens)`
    hooks.onRemark?.(`${parts.join(' and ')} are truncated to ${limit}`)
  }
  return cut
}

/** The queries and documents of a training that were truncated or left out. */
export interface TrainingReport {
  /** Number of queries that were longer than the model's limit. */
  cut: CutQueries
  /** The queries and documents that were skipped because of missing data. */
  missing: TrainingMissing
}
