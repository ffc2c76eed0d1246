import { KithError, type Matrix } from '@kith/core'
import { evaluate, RunBuilder } from '@kith/ir'
import { candidatesOf } from '../data/targets.ts'
import { type DocumentVectors, innerProducts, type TrainingQuery } from '../data/training-query.ts'

/** The result of a validation: the loss, and measures by name. */
export interface Validation {
  loss: number
  measures: Readonly<Record<string, number>>
}

/** The measures of docs/method.md section 7. */
export const MEASURES = ['MRR@10', 'nDCG@10', 'MAP@10', 'Recall@10'] as const

/**
 * Measures how well embeddings rank the candidates of held-out queries (docs/method.md section 7).
 *
 * The loss is the KL divergence with the original labels, equal probabilities of the ground truth,
 * over lists into which the ground truth is injected: without injection, a ground truth that was
 * not retrieved would have no loss. The measures rate the reranked candidates without injection: a
 * relevant document that was not retrieved counts as not found.
 */
export function validate(
  queries: readonly TrainingQuery[],
  embeddings: Matrix,
  documents: DocumentVectors,
  { listSize, inverseTemperature }: { listSize: number; inverseTemperature: number },
): Validation {
  const { dimensions } = documents
  const run = new RunBuilder()
  const qrels = new Map<string, Map<string, number>>()
  let sum = 0
  queries.forEach((query, q) => {
    const { id, relevant, grades } = query
    const retrieved = Array.from(query.retrieved).slice(0, listSize)
    const rows = candidatesOf(id, relevant, retrieved, relevant.length + listSize)
    const own = embeddings.data.subarray(q * dimensions, (q + 1) * dimensions)
    const scores = innerProducts(own, rows, documents)
    sum += divergence(
      scores.subarray(0, listSize),
      Math.min(relevant.length, listSize),
      inverseTemperature,
    )
    const found = new Set(retrieved)
    const ranked = Array.from(rows.keys()).filter((i) => found.has(rows[i]!))
    const ids = ranked.map((i) => String(rows[i]))
    // A query without candidates gets an irrelevant document, so that it counts as 0 in the means.
    run.add(
      ranked.length > 0
        ? { query: id, ids, scores: ranked.map((i) => scores[i]!) }
        : { query: id, ids: ['nothing'], scores: [0] },
    )
    qrels.set(id, new Map(relevant.map((row, i) => [String(row), grades?.[i] ?? 1])))
  })
  const { mean } = evaluate(qrels, run.finish(), MEASURES)
  return { loss: sum / queries.length, measures: mean }
}

/**
 * Computes the KL divergence of equal probabilities of the first `relevant` candidates from the
 * softmax over all candidates.
 */
function divergence(scores: Float64Array, relevant: number, inverseTemperature: number): number {
  const highest = scores.reduce(
    (most, score) => Math.max(most, inverseTemperature * score),
    -Infinity,
  )
  const total = scores.reduce(
    (sum, score) => sum + Math.exp(inverseTemperature * score - highest),
    0,
  )
  let likelihood = 0
  for (let i = 0; i < relevant; i++) likelihood += inverseTemperature * scores[i]!
  return -Math.log(relevant) - likelihood / relevant + highest + Math.log(total)
}

/** Returns the criterion of the best checkpoint as a function; higher values are better. */
export function criterion(name: string): (validation: Validation) => number {
  if (name === 'loss') return ({ loss }) => -loss
  const known = MEASURES.find((measure) => measure.toLowerCase() === name.toLowerCase())
  if (known) return ({ measures }) => measures[known]!
  const allowed = ['loss', ...MEASURES].join(', ')
  throw new KithError('BAD_SETTING', `selectBy must be one of ${allowed}, got "${name}"`)
}
