import type { QueryModel, TrainingQuery } from '@kith/train'
import type { Hooks } from '../job/hooks.ts'

/** How many queries of a training are longer than its model takes. */
export interface CutQueries {
  training: number
  validation: number
}

/** Counts the queries that training will cut, with a remark where there are some. */
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
    hooks.onRemark?.(`${parts.join(' and ')} are longer than ${limit}: what is beyond is cut off`)
  }
  return cut
}
