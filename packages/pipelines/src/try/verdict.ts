import type { Evaluation } from '@kith/ir'
import { statedP } from '@kith/ir/internal'
import type { Tuned } from '@kith/tune'
import { FEW_QUERIES } from '@kith/tune/internal'
import type { CorrectedComparison } from '../eval/evaluate-runs.ts'
import type { TriedRole } from './steps.ts'

/** A compared system. */
export interface TriedSystem {
  name: string
  role: TriedRole
  /** The system's run. */
  file: string
  /**
   * Milliseconds per query of this step alone, in a batch; undefined if Kith did not make the run.
   */
  milliseconds?: number | undefined
  /** Number of threads in the time measurement; undefined for all cores. */
  workers?: number | undefined
  evaluation?: Evaluation | undefined
  /** The comparison with vector search by measure; p is corrected for the number of systems. */
  comparison?: Readonly<Record<string, CorrectedComparison>> | undefined
}

/** The advice of a try. */
export interface Verdict {
  /** The settings to use; undefined to keep vector search. */
  settings: 'default' | 'tuned' | undefined
  /** The gain over vector search in the first measure, and its p value. */
  difference: number
  p: number
  sentence: string
}

/** Maximum p value of a significant difference. */
const SIGNIFICANT = 0.05

/**
 * Decides whether Kith helps, and with which settings: tuned settings only if tuning itself found
 * them better than the default.
 *
 * @param settingsFile The file of the tuned settings, for the sentence.
 */
export function judgeTried(
  systems: readonly TriedSystem[],
  tuned: Tuned | undefined,
  settingsFile: string,
): Verdict {
  const of = (role: TriedRole): TriedSystem | undefined =>
    systems.find((system) => system.role === role)
  const usesTuned = tuned?.verdict === 'tuned' && of('tunedKith') !== undefined
  const chosen = (usesTuned ? of('tunedKith') : of('kith'))!
  const measure = chosen.evaluation!.measures[0]!
  const { difference, p } = chosen.comparison![measure]!
  const helps = difference > 0 && p < SIGNIFICANT
  const queries = chosen.evaluation!.queries.length
  const isOpen = p >= SIGNIFICANT && queries <= FEW_QUERIES
  const use = usesTuned ? `use the settings in ${settingsFile}` : 'use the default settings'
  const keep = isOpen ? `${queries} judged queries are too few to tell` : 'keep vector search'
  const better = bestOther(systems, chosen, measure)
  return {
    settings: helps ? (usesTuned ? 'tuned' : 'default') : undefined,
    difference,
    p,
    sentence: `${claimOf(measure, difference, p)}; ${helps ? use : keep}${better}`,
  }
}

function claimOf(measure: string, difference: number, p: number): string {
  const size = Math.abs(difference).toFixed(3)
  const chance = p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`
  if (p < SIGNIFICANT) {
    return `Kith ${difference > 0 ? 'improves' : 'worsens'} ${measure} by ${size} (${chance})`
  }
  const signed = `${difference < 0 ? '−' : '+'}${size}`
  return `Kith does not measurably change ${measure} (${signed}, ${statedP(p)})`
}

/** Names the system that is better than Kith by the measure, if there is one. */
function bestOther(systems: readonly TriedSystem[], chosen: TriedSystem, measure: string): string {
  const meanOf = ({ evaluation }: TriedSystem): number => evaluation!.mean[measure]!
  const others = systems.filter(
    ({ role }) => !['run', 'kith', 'tunedKith', 'adaptedKith'].includes(role),
  )
  const best = others.reduce<TriedSystem | undefined>(
    (top, other) => (top && meanOf(top) >= meanOf(other) ? top : other),
    undefined,
  )
  if (!best || meanOf(best) <= meanOf(chosen)) return ''
  return ` (${best.name} is higher here: ${meanOf(best).toFixed(4)} against ${meanOf(chosen).toFixed(4)})`
}
