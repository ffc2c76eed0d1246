import { formatFigure } from '@kith/ir'
import type { ReportRun } from '../data/report-data.ts'
import { count, pInWords, signedFigure } from '../format.ts'

/** The verdict of a comparison, in plain words. */
export interface ReportVerdict {
  kind: 'better' | 'unsure' | 'equal' | 'worse'
  headline: string
  detail: string
}

/** Says whether a run is better than the first, and how sure that is. */
export function verdictOf(
  first: ReportRun,
  run: ReportRun,
  measure: string,
): ReportVerdict | undefined {
  const comparison = run.comparison?.[measure]
  if (!comparison) return undefined
  const { difference, wins, ties, losses, p } = comparison
  const queries = `${count(wins)} queries are better, ${count(losses)} worse, ${count(ties)} equal`
  const names = `${run.name} against ${first.name}`
  if (difference === 0) {
    return {
      kind: 'equal',
      headline: 'It changed nothing',
      detail: `${names}: ${measure} is ${formatFigure(first.measures[measure]!)} in both; ${queries}.${others(run, measure)}`,
    }
  }
  const [kind, headline] = kindOf(difference, p)
  const moved = `${measure} ${difference > 0 ? 'rises' : 'falls'} from ${formatFigure(first.measures[measure]!)} to ${formatFigure(run.measures[measure]!)}`
  return {
    kind,
    headline,
    detail: `${names}: ${moved} (${signedFigure(difference)}; ${pInWords(p)}). ${queries}.${others(run, measure)}`,
  }
}

/** The other measures in which the difference is significant: they may contradict the main measure. */
function others(run: ReportRun, main: string): string {
  const found = Object.entries(run.comparison ?? {}).filter(
    ([measure, { p }]) => measure !== main && p < 0.05,
  )
  const names = (sign: number) =>
    found.filter(([, { difference }]) => Math.sign(difference) === sign).map(([name]) => name)
  const [better, worse] = [names(1), names(-1)]
  return [
    better.length > 0 ? ` Significantly better in ${better.join(', ')}.` : '',
    worse.length > 0 ? ` Significantly worse in ${worse.join(', ')}.` : '',
  ].join('')
}

function kindOf(difference: number, p: number): [ReportVerdict['kind'], string] {
  if (p < 0.05) {
    return difference > 0 ? ['better', 'It helped'] : ['worse', 'It made the ranking WORSE']
  }
  return difference > 0
    ? ['unsure', 'It may have helped']
    : ['worse', 'It may have made the ranking worse']
}
