import { type LabelSettings, type Labels, Reranker } from '@kith/core'
import { type ContextSources, ContextVectors } from '../join/context-vectors.ts'
import type { Job } from '../tasks/job.ts'
import type { LabelTask } from './label-tasks.ts'

/** Everything that labeling takes. */
export interface LabelInputs extends ContextSources {
  settings: LabelSettings
}

/** Labels task after task. */
export async function openLabelJob(inputs: LabelInputs): Promise<Job<LabelTask, Labels>> {
  const contexts = await ContextVectors.open(inputs)
  const method = new Reranker(inputs.settings)
  return {
    run(task) {
      const [text, ...others] = task.texts ?? []
      // The ground truth stands first among the candidates of a label task.
      const groundTruth = { candidates: [...task.grades.keys()], grades: task.grades }
      return contexts.use(task, ({ vector, vectors }) =>
        method.smoothLabels(
          { vector, text },
          { vectors, texts: task.texts && others },
          groundTruth,
        ),
      )
    },
    close: () => contexts.close(),
  }
}
