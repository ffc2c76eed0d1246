import { someMissing } from '@kith/pipelines/job'
import type { FitInputs, FitResult } from '@kith/pipelines/train'
import { heldOutLines } from './held-out-lines.ts'
import type { Output } from './output.ts'

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
  if (heldOut) {
    const by = heldOut.by === 'teacher' ? ' (agreement with the teacher)' : ''
    lines.push(`on ${heldOut.queries} held-out queries, searching all documents${by}:`)
    lines.push(...heldOutLines(heldOut))
  }
  const { docs, training } = inputs
  const by = metric === 'cosine' ? ' --metric cosine' : ''
  const next = [
    `kith adapt --adapter ${out} --queries ${training.queries} --out adapted.npy`,
    `kith search --queries adapted.npy --docs ${docs}${by} --out adapted.trec`,
  ]
  if (!keepsOld) lines.push('next:', ...next.map((line) => `  ${line}`))
  lines.push(verdict(result))
  const { missing, ...rest } = result
  output.result({ ...rest, missing: someMissing(missing) }, lines.join('\n'))
}

/** The next command for the adapter, in one line. */
function verdict({ heldOut, keepsOld }: FitResult): string {
  if (!heldOut) return 'not tested: no queries were held out, measure it on other queries'
  if (keepsOld) return 'keep the old embeddings: the adapter gains nothing on held-out queries'
  const first = heldOut.measures[heldOut.measure]
  if (heldOut.by === 'teacher') {
    return 'without judgments only agreement with the teacher is known: measure it on judged queries'
  }
  return first!.randomization < 0.05
    ? 'use the adapter: it gains on held-out queries'
    : 'the gain on held-out queries may be chance: measure it on more queries'
}
