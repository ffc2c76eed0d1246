import type { TrainResult } from '@kith/pipelines'
import { someMissing } from '@kith/pipelines/internal/train/open-training'
import type { Output } from './output.ts'

/** Prints how a training ended, and which weights are the result. */
export function tellTrained(output: Output, result: TrainResult): void {
  const { out, steps, ended, best, cut, curves } = result
  const how = ended === 'early' ? 'ended early' : 'all steps done'
  const chosen = best ? `the weights of step ${best.step}, the best` : 'the last weights'
  const lines = [`${out}: ${how} (${steps} steps); ${chosen}`]
  if (curves) lines.push(`${curves}: validation loss and nDCG@10`)
  const missing = someMissing(result.missing)
  output.result({ out, steps, ended, best, cut, missing, curves }, lines.join('\n'))
}
