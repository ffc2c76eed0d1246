import type { QueryModel, TrainingQuery } from '@kith/train'
import type { Output } from '../terminal/output.ts'

/** How many queries of a training are longer than its model takes. */
export interface CutQueries {
  training: number
  validation: number
}

/** Counts the queries that training will cut, and says so where there are some. */
export function remarkCutQueries(
  model: QueryModel,
  {
    queries,
    validation = [],
  }: { queries: TrainingQuery[]; validation?: TrainingQuery[] | undefined },
  output: Output,
): CutQueries {
  const cut = { training: model.countCut(queries), validation: model.countCut(validation) }
  const parts = [
    [cut.training, queries.length, 'training'] as const,
    [cut.validation, validation.length, 'validation'] as const,
  ].flatMap(([count, all, kind]) => (count > 0 ? [`${count} of ${all} ${kind} queries`] : []))
  if (parts.length > 0) {
    const limit = `${model.maxTokens} tokens (--max-tokens)`
    output.remark(`${parts.join(' and ')} are longer than ${limit}: what is beyond is cut off`)
  }
  return cut
}
