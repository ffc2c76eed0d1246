import { Reranker, type Target } from '@kith/core'
import { injectGroundTruth } from '@kith/core/internal'
import {
  methodSettings,
  type PageLabelSettings,
  type PageSettings,
  tokenizerOf,
} from '../model/page-settings.ts'
import type { QueryContext } from '../model/query-context.ts'

/** The targets in the order of the table, each with the evidence it uses. */
export const targets: readonly { name: Target; about: string }[] = [
  { name: 'mixed', about: 'similarity to the ground truth, by embeddings and neighbors' },
  { name: 'rnn', about: 'reciprocal neighbors shared with the ground truth' },
  { name: 'geometric', about: 'similarity of embeddings to the ground truth' },
  { name: 'joint', about: 'similarity to the query and to the ground truth' },
  { name: 'query-centric', about: 'similarity to the query only' },
  { name: 'uniform', about: 'the probability that mixed gives to other documents, spread evenly' },
  { name: 'one-hot', about: 'the judgments only' },
]

/** The labels that one target gives. */
export interface TargetColumn {
  name: Target
  about: string
  /** The probability of each document that has one, by its place in the context's documents. */
  probability: Map<number, number>
}

/** The labels of all targets. */
export interface LabelTable {
  /** The documents that count as ground truth. */
  truth: number[]
  /** Documents with a large enough probability, the most probable in `mixed` first. */
  rows: number[]
  columns: TargetColumn[]
  /** How many candidates there are. */
  candidates: number
}

const method = new Reranker()
/** The maximum number of rows, and the smallest probability that is shown. */
const [SHOWN, VISIBLE] = [40, 0.0005]

/** Makes labels of one query with every target. */
export function labelTable(
  context: QueryContext,
  page: PageSettings,
  truth: number[],
  labels: PageLabelSettings,
): LabelTable {
  const { documents, retrieved } = context.source
  const use = { texts: context.texts, labels: true }
  const tokenizer = tokenizerOf(page, use)
  const inContext = injectGroundTruth(truth, Array(retrieved).keys(), page.contextSize)
  const query = context.query(tokenizer)
  const candidates = context.of(inContext, tokenizer)
  const groundTruth = {
    candidates: [...truth.keys()],
    grades: truth.map((document) => documents[document]!.grade!),
  }
  const columns = targets.map(({ name, about }) => {
    const settings = { ...methodSettings(page, use), ...labels, target: name }
    const { kept, target } = method.smoothLabels(query, candidates, groundTruth, settings)
    const probability = new Map<number, number>()
    kept.forEach((candidate, i) => {
      probability.set(inContext[candidate]!, target[i]!)
    })
    return { name, about, probability }
  })
  return { truth, rows: worthShowing(columns, truth), columns, candidates: inContext.length }
}

/**
 * The ground truth, then documents with evidence; evenly spread probability says nothing about a
 * document.
 */
function worthShowing(columns: readonly TargetColumn[], truth: readonly number[]): number[] {
  const known = new Set(truth)
  const found = new Map<number, number>()
  for (const { name, probability } of columns) {
    if (name === 'uniform') continue
    for (const [document, value] of probability) {
      if (value >= VISIBLE) found.set(document, Math.max(value, found.get(document) ?? 0))
    }
  }
  const mixed = columns[0]!.probability
  const weight = (document: number): number => mixed.get(document) ?? 0
  return [...found.keys()]
    .sort(
      (a, b) =>
        Number(known.has(b)) - Number(known.has(a)) ||
        weight(b) - weight(a) ||
        found.get(b)! - found.get(a)! ||
        a - b,
    )
    .slice(0, SHOWN)
}
