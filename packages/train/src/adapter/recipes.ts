import { KithError, type PartialLabelSettings } from '@kith/core'
import { LiveLabels } from '../data/targets.ts'
import type { DocumentVectors, TrainingQuery } from '../data/training-query.ts'
import type { AdapterQuery, LossPart, Target } from './adapter-objective.ts'

/** Number of a search's first documents in the softmax of a ranking. */
const LIST = 200
/**
 * Maximum mean number of relevant documents per query for which judgments count as one label per
 * query.
 */
const FEW = 1.5

/** A query with everything that an adapter can learn from it. */
export interface TaughtQuery extends TrainingQuery {
  /** The probabilities from a teacher's ranking. */
  taught?: Target | undefined
}

/** A recipe: the parts of a query's loss, and Λ at T = 20. */
interface Recipe {
  shrinkage: number
  /** The upper limit of T, if the recipe has one. */
  sharpest?: number
  parts(query: TaughtQuery): LossPart[]
}

/**
 * The recipes of docs/method.md section 7. Λ and the limit of T were chosen on held-out training
 * queries of NFCorpus.
 *
 * - `ranking`: a teacher's ranking of the first documents; no labels.
 * - `labels`: one label per query, or soft labels, over all documents.
 * - `ranking+labels`: the mean of the `ranking` and `labels` losses.
 * - `judgments`: several judged documents per query, over the first documents and over all.
 */
const recipes = {
  ranking: { shrinkage: 50, parts: (query) => rankingParts(query, 1) },
  labels: { shrinkage: 200, parts: (query) => labelParts(query, 1) },
  'ranking+labels': {
    shrinkage: 100,
    parts: (query) => [...rankingParts(query, 0.5), ...labelParts(query, 0.5)],
  },
  judgments: {
    shrinkage: 50,
    sharpest: 20,
    parts(query) {
      const near = listParts(query, 0.5)
      // If no judged document is among the first documents, the whole loss is over all documents.
      return [...near, ...labelParts(query, near.length > 0 ? 0.5 : 1)]
    },
  },
} satisfies Record<string, Recipe>

/** The name of a recipe. */
export type RecipeName = keyof typeof recipes

/** The names of all recipes. */
export const recipeNames = Object.keys(recipes) as readonly RecipeName[]

/** Limits the measured T to the recipe's upper limit. */
export function inverseTemperatureOf(recipe: RecipeName, measured: number): number {
  const { sharpest = Infinity }: Recipe = recipes[recipe]
  return Math.min(measured, sharpest)
}

/** Returns Λ of a recipe: it grows with T², like the curvature of the loss. */
export function shrinkageOf(recipe: RecipeName, inverseTemperature: number): number {
  return recipes[recipe].shrinkage * (inverseTemperature / 20) ** 2
}

/** Chooses a recipe by the queries' judgments and by whether a teacher is available. */
export function recipeFor(
  queries: readonly TrainingQuery[],
  { teacher }: { teacher: boolean },
): RecipeName {
  const judged = queries.filter(({ relevant }) => relevant.length > 0)
  if (judged.length === 0) return 'ranking'
  const labels = judged.reduce((sum, { relevant }) => sum + relevant.length, 0)
  if (labels > FEW * judged.length) return 'judgments'
  return teacher ? 'ranking+labels' : 'labels'
}

/**
 * Adds evidence-based labels (docs/method.md section 6) to queries, from their original embeddings.
 */
export function evidenceLabels(
  queries: readonly TrainingQuery[],
  settings: PartialLabelSettings,
  documents: DocumentVectors,
): TrainingQuery[] {
  const labeler = new LiveLabels(settings, LIST, documents)
  return queries.map((query) => {
    const { rows, target } = labeler.label(query, query.vector)
    return {
      ...query,
      labels: { rows: Array.from(rows.subarray(0, target.length)), values: target },
    }
  })
}

/** Prepares queries for a fit; leaves out queries that a recipe can learn nothing from. */
export function adapterQueries(
  queries: readonly TaughtQuery[],
  recipe: RecipeName,
): AdapterQuery[] {
  return queries.flatMap((query) => {
    const { id, vector, retrieved } = query
    if (!vector) throw new KithError('BAD_INPUT', `query ${id} has no embedding`)
    const parts = recipes[recipe].parts(query)
    return parts.length > 0 ? [{ id, vector, retrieved, parts }] : []
  })
}

/** Returns the loss of a teacher's ranking over the first documents. */
function rankingParts({ taught, retrieved }: TaughtQuery, weight: number): LossPart[] {
  if (!taught || taught.rows.length === 0) return []
  const over = new Set([...Array.from(retrieved).slice(0, LIST), ...Array.from(taught.rows)])
  return [{ weight, target: taught, over: Uint32Array.from(over) }]
}

/**
 * Returns the loss of labels, or of equal probabilities of the relevant documents, over all
 * documents.
 */
function labelParts({ relevant, labels }: TaughtQuery, weight: number): LossPart[] {
  const target = labels ? normalized(labels) : equal(relevant)
  return target.rows.length > 0 ? [{ weight, target, over: 'corpus' }] : []
}

/**
 * Returns the loss of equal probabilities of the relevant documents among the first documents, over
 * the first documents.
 */
function listParts({ relevant, retrieved }: TaughtQuery, weight: number): LossPart[] {
  const over = Uint32Array.from(Array.from(retrieved).slice(0, LIST))
  const near = new Set(over)
  const target = equal(relevant.filter((row) => near.has(row)))
  return target.rows.length > 0 ? [{ weight, target, over }] : []
}

function equal(rows: readonly number[]): Target {
  return { rows, values: rows.map(() => 1 / rows.length) }
}

function normalized({ rows, values }: NonNullable<TrainingQuery['labels']>): Target {
  const kept = rows.flatMap((row, i) => (values[i]! > 0 ? [{ row, value: values[i]! }] : []))
  const sum = kept.reduce((total, { value }) => total + value, 0)
  return { rows: kept.map(({ row }) => row), values: kept.map(({ value }) => value / sum) }
}
