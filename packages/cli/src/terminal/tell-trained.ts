import { someMissing } from '@kith/pipelines/job'
import type { HeldOutFigures, TrainingInputs, TrainResult } from '@kith/pipelines/train'
import { heldOutLines } from './held-out-lines.ts'
import type { Output } from './output.ts'

/** Prints how a training ended, which weights are the result, whether they help, and what comes next. */
export function tellTrained(output: Output, result: TrainResult, inputs: TrainingInputs): void {
  const { out, steps, ended, best, cut, curves, heldOut, keepsOld } = result
  const how = ended === 'early' ? 'ended early' : 'all steps done'
  const last = keepsOld ? 'the weights from before training' : 'the last weights'
  const better = best && best.step > 0 ? `the weights of step ${best.step}, the best` : undefined
  const chosen = better ?? (best ? 'the weights from before training' : last)
  const lines = [`${out}: ${how} (${steps} steps); ${chosen}`]
  if (curves) lines.push(`${curves}: validation loss and nDCG@10`)
  if (heldOut) {
    lines.push(`on ${heldOut.queries} held-out queries, searching all documents:`)
    lines.push(...heldOutLines(heldOut))
  }
  lines.push('next:', ...nextCommands(result, inputs).map((line) => `  ${line}`))
  if (heldOut) lines.push(verdict(heldOut))
  else if (best?.step === 0) {
    lines.push('keep the old encoder: no later weights are better on the dev queries')
  }
  const missing = someMissing(result.missing)
  output.result(
    { out, steps, ended, best, cut, missing, curves, heldOut, keepsOld },
    lines.join('\n'),
  )
}

/** The advice that follows from the figures of held-out queries. */
function verdict({ measures }: HeldOutFigures): string {
  const { difference, randomization } = Object.values(measures)[0]!
  if (!(difference > 0)) return 'keep the old encoder: training gains nothing on held-out queries'
  return randomization < 0.05
    ? 'use the trained encoder: it gains on held-out queries'
    : 'the gain on held-out queries may be chance: measure it on more queries'
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
