import { type LearnedQueries, learnedQueries } from '../files/learned-queries.ts'
import type { TrainingSetup } from './open-training.ts'
import type { TrainingInputs } from './training-inputs.ts'

/**
 * The queries whose judgments, or labels made of them, a model was trained or chosen by. Queries
 * that only a teacher's ranking was learned for are not among them.
 */
export async function learnedBy(
  { queries, validation = [] }: Pick<TrainingSetup, 'queries' | 'validation'>,
  inputs: Pick<TrainingInputs, 'training' | 'validation' | 'teacher'>,
  what: string,
): Promise<LearnedQueries[]> {
  const { qrels, labels = qrels } = inputs.training
  const chosen = inputs.validation?.qrels
  const learned: LearnedQueries[] = []
  const ids = (list: TrainingSetup['queries']) => list.map(({ id }) => id)
  if (labels !== undefined) {
    learned.push(await learnedQueries('train', what, qrels ?? labels, ids(queries)))
  }
  if (chosen !== undefined) {
    const how = 'choose the checkpoint of'
    learned.push(await learnedQueries(how, what, chosen, ids(validation)))
  }
  return learned
}
