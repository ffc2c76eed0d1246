import type { TuneResult } from '@kith/pipelines/tune'
import type { Output } from './output.ts'

/** Prints the result of a tuning: the verdict, its evidence, and the settings. */
export function tellTuned(output: Output, { out, tuned }: TuneResult): void {
  const { verdict, reason, heldOut, measure, queries, settings } = tuned
  const { gain, ci, t, p } = heldOut
  const shown = Object.entries(settings).map(([name, value]) => `${name} ${show(value)}`)
  output.result(
    tuned,
    [
      `${out}: verdict ${verdict}`,
      reason,
      `held-out gain over the old ranking: ${signed(gain)} ${measure} (95 %: ${signed(ci[0])} to ${signed(ci[1])}; t ${t.toFixed(2)}, p ${p.toPrecision(2)}; ${queries} queries)`,
      `settings: ${shown.join(', ')}`,
    ].join('\n'),
  )
}

function show(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}
