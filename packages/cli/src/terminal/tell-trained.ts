import { formatFigure, formatP } from '@kith/ir/internal'
import { someMissing } from '@kith/pipelines/job'
import type { TrainingInputs, TrainResult } from '@kith/pipelines/train'
import type { Output } from './output.ts'

/** Prints how a training ended, which weights are the result, whether they help, and what comes next. */
export function tellTrained(output: Output, result: TrainResult, inputs: TrainingInputs): void {
  const { out, steps, ended, best, cut, curves, heldOut } = result
  const how = ended === 'early' ? 'ended early' : 'all steps done'
  const chosen = best ? `the weights of step ${best.step}, the best` : 'the last weights'
  const lines = [`${out}: ${how} (${steps} steps); ${chosen}`]
  if (curves) lines.push(`${curves}: validation loss and nDCG@10`)
  if (heldOut) lines.push(...heldOutLines(heldOut))
  lines.push('next:', ...nextCommands(result, inputs).map((line) => `  ${line}`))
  const missing = someMissing(result.missing)
  output.result({ out, steps, ended, best, cut, missing, curves, heldOut }, lines.join('\n'))
}

/** The figures of the held-out queries before and after, and what to make of them. */
function heldOutLines({ queries, measures }: NonNullable<TrainResult['heldOut']>): string[] {
  const lines = [`on ${queries} held-out queries, searching all documents:`]
  for (const [measure, { before, after, difference, randomization }] of Object.entries(measures)) {
    const change = `${difference < 0 ? '−' : '+'}${formatFigure(Math.abs(difference))}`
    const figures = `${formatFigure(before)} before, ${formatFigure(after)} after`
    lines.push(`  ${measure} ${figures} (${change}, p = ${formatP(randomization)})`)
  }
  const [first] = Object.values(measures)
  if (first!.randomization < 0.05 && first!.difference > 0) return lines
  const verdict =
    first!.randomization < 0.05 ? 'training made it worse' : 'no significant difference'
  return [...lines, `  ${verdict}: the model as it was may serve as well`]
}

/** The commands that search with the result, and judge it on queries it has not learned from. */
function nextCommands(
  { out, heldOut, metric }: TrainResult,
  { adapter, docs, training, queryPrefix }: TrainingInputs,
): string[] {
  const { queries, run } = training
  const prefix = queryPrefix === undefined ? '' : ` --query-prefix ${JSON.stringify(queryPrefix)}`
  const by = metric === 'cosine' ? ' --metric cosine' : ''
  return [
    adapter === undefined
      ? `kith encode --model ${out} --input ${queries} --role query${prefix} --out trained-queries.npy`
      : `kith adapt --adapter ${out} --queries ${queries} --out trained-queries.npy`,
    `kith search --queries trained-queries.npy --docs ${docs}${by} --out trained.trec`,
    ...(heldOut ? [`kith eval --qrels ${heldOut.qrels} --run ${run} --run trained.trec`] : []),
  ]
}
