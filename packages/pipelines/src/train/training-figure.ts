import { basename, join, resolve } from 'node:path'
import type { TrainingFigure } from '@kith/report'
import { readValidations } from './read-validations.ts'

/** The validations of trainings, from the `metrics.jsonl` of their folders. */
export async function trainingFigure(
  folders: readonly string[],
  measure: string,
): Promise<TrainingFigure> {
  const runs = []
  for (const folder of folders) {
    const points = await readValidations(join(folder, 'metrics.jsonl'), measure)
    runs.push({ name: basename(resolve(folder)), points })
  }
  return { kind: 'training', measure, runs }
}
