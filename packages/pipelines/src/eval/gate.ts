import { KithError } from '@kith/core'
import { formatFigure, statedP } from '@kith/ir/internal'
import type { EvaluateResult } from './evaluate-runs.ts'

/**
 * The condition under which a run fails: significantly worse, or a mean lower by more than `drop`.
 */
type Gate = 'significant' | { drop: number }

const SIGNIFICANT = 0.05

/** Parses `significant` or `drop:0.01`. */
export function parseGate(text: string): Gate {
  if (text === 'significant') return text
  const drop = /^drop:(\d*\.?\d+)$/.exec(text)?.[1]
  if (drop !== undefined) return { drop: Number(drop) }
  throw new KithError(
    'BAD_SETTING',
    `failOn must be significant or drop:NUMBER, such as drop:0.01, got "${text}"`,
  )
}

/** Returns one sentence for each measure by which a run fails; empty if all runs pass. */
export function gateFailures(
  { comparisons }: Pick<EvaluateResult, 'comparisons'>,
  gate: Gate,
): string[] {
  return Array.from(comparisons).flatMap(([name, byMeasure]) =>
    Object.entries(byMeasure)
      .filter(([, { difference, p }]) =>
        gate === 'significant' ? difference < 0 && p < SIGNIFICANT : -difference > gate.drop,
      )
      .map(
        ([measure, { difference, p }]) =>
          `${name}: ${measure} fell by ${formatFigure(-difference)} (${statedP(p)})`,
      ),
  )
}
