import { someMissing } from '@kith/pipelines/job'
import type { TuneTrainingResult } from '@kith/pipelines/train'
import type { Output } from './output.ts'

/** Prints which trial trained the best model, and the value of the trial with the options as they are. */
export function tellTunedTraining(output: Output, result: TuneTrainingResult): void {
  const { out, best, settings, selectBy, winner, first, cut } = result
  const { value, parameters } = winner
  const shown = Object.entries(parameters).map(([name, one]) => `${name} ${one}`)
  const missing = someMissing(result.missing)
  output.result(
    { out, settings, winner, first, cut, missing },
    [
      `${best}: the best model, dev ${selectBy} ${Math.abs(value).toFixed(4)} (${shown.join(', ')})`,
      `the options as they are, with one-hot targets: ${Math.abs(first.value).toFixed(4)}`,
      'Both on the queries that it was chosen by: measure it on others.',
    ].join('\n'),
  )
}
