import { isPipeOrDevice, version, writeAtomic } from '@kith/base'
import type { CalibrationResult } from '@kith/ir/internal'
import { collectionName } from '../files/paths.ts'
import { pageBeside } from '../job/job-defaults.ts'

/** The files of a calibration's reliability diagram: a page, and the image alone. */
export interface ReliabilityFiles {
  page: string
  picture: string
}

/** The verdict on a calibration, in a sentence. */
export const verdicts: Readonly<Record<CalibrationResult['helps'], string>> = {
  yes: 'Calibration helps.',
  no: 'Calibration does not help: leave it out.',
  few: 'Too few queries to tell whether calibration helps: judge ten or more.',
}

/**
 * Returns the paths of a calibration's diagram, beside the calibration; undefined for a pipe or a
 * device.
 */
export function reliabilityFiles(out: string): ReliabilityFiles | undefined {
  if (isPipeOrDevice(out)) return undefined
  const page = pageBeside(out)
  return { page, picture: page.replace(/html$/, 'svg') }
}

/**
 * Plots the estimated relevance of hits against the fraction of relevant hits, before and after
 * calibration.
 */
export async function drawReliability(
  result: CalibrationResult,
  { page, picture }: ReliabilityFiles,
  corpus: string,
): Promise<void> {
  const { renderReport, standaloneSvg } = await import('@kith/report')
  const { drawFigure } = await import('@kith/report/internal')
  const { estimated, calibrated, calibration, queries, helps } = result
  const named = Object.entries({ estimated, calibrated })
  const figure = {
    kind: 'reliability' as const,
    estimates: named.map(([name, { bins }]) => ({ name, bins })),
  }
  const html = renderReport({
    title: 'Calibration of estimated relevance',
    collection: collectionName(corpus),
    about: `${queries} judged queries, cross-validated. ${verdicts[helps]}`,
    figures: [figure],
    tables: [
      {
        title: 'Quality of the estimates',
        rows: [
          ['relevance', 'calibration error', 'Brier', 'F1 of cutoff'],
          ...named.map(([name, { calibrationError, brier, f1 }]) => [
            name,
            ...[calibrationError, brier, f1].map((value) => value.toFixed(3)),
          ]),
        ],
      },
    ],
    settings: { ...calibration },
    versions: { kith: version },
  })
  await writeAtomic(picture, (write) => write(standaloneSvg(drawFigure(figure))))
  await writeAtomic(page, (write) => write(html))
}
