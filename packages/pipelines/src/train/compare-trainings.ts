import { writeAtomic } from '@kith/base'
import { jobDefaults } from '../job-defaults.ts'
import { trainingFigure } from './training-figure.ts'

/** Trainings to compare, and where the picture goes. */
export interface CompareTrainingsInputs {
  /** Folders of trainings, with their `metrics.jsonl`. */
  folders: readonly string[]
  /** The picture to write: `.svg`, or `.html` for a page. */
  out: string
  /** MRR@10, nDCG@10, MAP@10 or Recall@10; default nDCG@10. */
  measure?: string | undefined
}

/** Draws the validations of several trainings over one another. */
export async function compareTrainings({
  folders,
  out,
  measure = jobDefaults.measure,
}: CompareTrainingsInputs): Promise<{ out: string; trainings: number }> {
  const { renderReport, standaloneSvg } = await import('@kith/report')
  const { trainingCurves } = await import('@kith/report/internal')
  const figure = await trainingFigure(folders, measure)
  const picture = out.endsWith('.html')
    ? renderReport({ title: 'Trainings compared', figures: [figure] })
    : standaloneSvg(trainingCurves(figure))
  await writeAtomic(out, (write) => write(picture))
  return { out, trainings: folders.length }
}
