import { type MethodSettings, type Ranking, rerank } from '@kith/core'
import { extendRanking } from '@kith/core/internal'
import { type SharedTexts, textAt } from '@kith/ir/internal'
import { type ContextSources, ContextVectors } from '../join/context-vectors.ts'
import type { Job } from '../tasks/job.ts'
import type { RerankTask } from './rerank-tasks.ts'

/** Everything that reranking tasks takes, in a form that can be handed to a worker thread. */
export interface RerankInputs extends ContextSources {
  queryTexts: SharedTexts | undefined
  docTexts: SharedTexts | undefined
  settings: MethodSettings
}

/** Reranks task after task: each gets the ranking of all of its places. */
export async function openRerankJob(inputs: RerankInputs): Promise<Job<RerankTask, Ranking>> {
  const { queryTexts, docTexts, settings } = inputs
  const contexts = await ContextVectors.open(inputs)
  return {
    run(task) {
      const ranking = contexts.use(task, ({ vector, vectors }) => {
        if (!queryTexts || !docTexts) return rerank(vector, vectors, settings)
        const texts = Array.from(task.texts, (number) => textAt(docTexts, number))
        return rerank({ vector, text: textAt(queryTexts, task.text) }, { vectors, texts }, settings)
      })
      return extendRanking(ranking, task.places.length)
    },
    close: () => contexts.close(),
  }
}
