import { formatFigure, statedP } from '@kith/ir/internal'
import { someMissing } from '@kith/pipelines/job'
import type {
  FitInputs,
  FitResult,
  HeldOutFigures,
  TrainingInputs,
  TrainResult,
} from '@kith/pipelines/train'
import type { Output } from './output.ts'

/** Prints how a training ended, which weights are the result, whether they help, and what comes next. */
export function tellTrained(output: Output, result: TrainResult, inputs: TrainingInputs): void {
  const { out, steps, ended, best, cut, curves, heldOut, keepsOld } = result
  const how = ended === 'early' ? 'ended early' : 'all steps done'
  const trained = best ? `the weights of step ${best.step}, the best` : 'the last weights'
  const chosen = keepsOld ? 'the weights from before training' : trained
  const lines = [`${out}: ${how} (${steps} steps); ${chosen}`]
  if (curves) lines.push(`${curves}: validation loss and nDCG@10`)
  if (heldOut) lines.push(...heldOutLines(heldOut))
  if (!keepsOld) lines.push('next:', ...nextCommands(result, inputs).map((line) => `  ${line}`))
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
function verdict({ measures, by }: HeldOutFigures): string {
  const { difference, randomization } = Object.values(measures)[0]!
  if (!(difference > 0)) return 'keep the old encoder: training gains nothing on held-out queries'
  if (by === 'teacher') return agreementOnly
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
    ...(heldOut?.qrels
      ? [`kith eval --qrels ${heldOut.qrels} --run ${run} --run trained.trec`]
      : []),
  ]
}

/** A readable name of the data that each recipe learns from. */
const recipes: Record<FitResult['recipe'], string> = {
  ranking: 'Kith’s ranking, without labels',
  labels: 'labels',
  'ranking+labels': 'labels and Kith’s ranking',
  judgments: 'judgments',
}

/** Prints what an adapter has learned from, whether it helps, and what comes next. */
export function tellFitted(output: Output, result: FitResult, inputs: FitInputs): void {
  const { out, recipe, queries, shrinkage, inverseTemperature, keepsOld, heldOut, metric } = result
  const settings = `T ${inverseTemperature}, Λ ${Number(shrinkage.toPrecision(4))}`
  const what = keepsOld ? 'the identity: no change of the embeddings' : 'a linear adapter'
  const lines = [`${out}: ${what} (${queries} queries, ${recipes[recipe]}; ${settings})`]
  if (heldOut) lines.push(...heldOutLines(heldOut))
  const { docs, training } = inputs
  const by = metric === 'cosine' ? ' --metric cosine' : ''
  const next = [
    `kith adapt --adapter ${out} --queries ${training.queries} --out adapted.npy`,
    `kith search --queries adapted.npy --docs ${docs}${by} --out adapted.trec`,
  ]
  if (!keepsOld) lines.push('next:', ...next.map((line) => `  ${line}`))
  lines.push(adapterVerdict(result))
  const { missing, ...rest } = result
  output.result({ ...rest, missing: someMissing(missing) }, lines.join('\n'))
}

/** The next command for the adapter, in one line. */
function adapterVerdict({ heldOut, keepsOld }: FitResult): string {
  if (!heldOut) return 'not tested: no queries were held out, measure it on other queries'
  if (keepsOld) return 'keep the old embeddings: the adapter gains nothing on held-out queries'
  const first = heldOut.measures[heldOut.measure]
  if (heldOut.by === 'teacher') return agreementOnly
  return first!.randomization < 0.05
    ? 'use the adapter: it gains on held-out queries'
    : 'the gain on held-out queries may be chance: measure it on more queries'
}

/** The advice if held-out queries gain by the teacher's ranking alone. */
const agreementOnly =
  'without judgments only agreement with the teacher is known: measure it on judged queries'

/** The figures of held-out queries before and after, a line per measure. */
function heldOutLines({ queries, by, measures }: Omit<HeldOutFigures, 'qrels'>): string[] {
  const what = by === 'teacher' ? ' (agreement with the teacher)' : ''
  const title = `on ${queries} held-out queries, searching all documents${what}:`
  const figures = Object.entries(measures).map(
    ([measure, { before, after, difference, randomization }]) => {
      const change = `${difference < 0 ? '−' : '+'}${formatFigure(Math.abs(difference))}`
      const figures = `${formatFigure(before)} before, ${formatFigure(after)} after`
      return `  ${measure} ${figures} (${change}, ${statedP(randomization)})`
    },
  )
  return [title, ...figures]
}
