import { basename, join, resolve } from 'node:path'
import { FileError } from '@kith/ir'
import type { TrainingFigure } from '@kith/report'

/** The validations of trainings, from the `metrics.jsonl` of their folders. */
export async function trainingFigure(
  folders: readonly string[],
  measure: string,
): Promise<TrainingFigure> {
  const { readMetrics } = await import('@kith/train')
  const runs = []
  for (const folder of folders) {
    const file = join(folder, 'metrics.jsonl')
    const points = (await readMetrics(file)).flatMap((record) =>
      record.kind === 'validation'
        ? [{ step: record.step, loss: record.loss, value: record.measures[measure]! }]
        : [],
    )
    if (points.length === 0) throw new FileError(file, '', 'holds no validations of kith train')
    if (points.some(({ value }) => value === undefined)) {
      throw new FileError(file, '', `has no ${measure}: try nDCG@10, MRR@10, MAP@10 or Recall@10`)
    }
    runs.push({ name: basename(resolve(folder)), points })
  }
  return { kind: 'training', measure, runs }
}
