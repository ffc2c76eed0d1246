import { someMissing } from '@kith/pipelines/job'
import type { TuneTrainingResult } from '@kith/pipelines/train'
import type { TuneResult } from '@kith/pipelines/tune'
import type { Output } from './output.ts'

/** Prints the result of `kith tune`: the verdict, its evidence, and the settings. */
export function tellTuned(output: Output, { out, tuned }: TuneResult): void {
  const { verdict, reason, heldOut, measure, queries, settings } = tuned
  const { gain, ci, t, p } = heldOut
  const shown = Object.entries(settings).map(([name, value]) => `${name} ${show(value)}`)
  output.result(
    tuned,
    [
      `${out}: verdict ${verdict}`,
      reason,
      `held-out gain over the original ranking: ${signed(gain)} ${measure} (95 %: ${signed(ci[0])} to ${signed(ci[1])}; t ${t.toFixed(2)}, p ${p.toPrecision(2)}; ${queries} queries)`,
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

/**
 * Prints which trial trained the best model, and the value of the trial with the unchanged options.
 */
export function tellTunedTraining(output: Output, result: TuneTrainingResult): void {
  const { out, best, settings, selectBy, winner, first, cut } = result
  const { value, parameters } = winner
  const shown = Object.entries(parameters).map(([name, one]) => `${name} ${one}`)
  const missing = someMissing(result.missing)
  output.result(
    { out, settings, winner, first, cut, missing },
    [
      `${best}: the best model, dev ${selectBy} ${Math.abs(value).toFixed(4)} (${shown.join(', ')})`,
      `the given options with one-hot targets: ${Math.abs(first.value).toFixed(4)}`,
      'Both values come from the queries that selected the model: measure the model on other queries.',
    ].join('\n'),
  )
}
