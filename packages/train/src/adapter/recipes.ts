import { KithError, type PartialLabelSettings } from '@kith/core'
import { LiveLabels } from '../data/targets.ts'
import type { DocumentVectors, TrainingQuery } from '../data/training-query.ts'
import type { AdapterQuery, LossPart, Target } from './adapter-objective.ts'

/** The first documents of a search that the softmax of a ranking runs over. */
const LIST = 200
/** Up to this many relevant documents per query, on average, judgments count as one label per query. */
const FEW = 1.5

/** A query with all that an adapter can learn from it. */
export interface TaughtQuery extends TrainingQuery {
  /** The probabilities that a teacher's ranking gives. */
  taught?: Target | undefined
}

/** A recipe: the parts of a query's loss, and Λ at T = 20. */
interface Recipe {
  shrinkage: number
  /** The largest T, if T has a limit. */
  sharpest?: number
  parts(query: TaughtQuery): LossPart[]
}

/**
 * The recipes of docs/method.md section 7. Λ and the limit of T were chosen on held-out training queries of
 * NFCorpus.
 *
 * - `ranking`: a teacher's ranking of the first documents; no labels.
 * - `labels`: one label per query, or soft labels, against all documents.
 * - `ranking+labels`: the mean of both.
 * - `judgments`: several judged documents per query, among the first documents and among all.
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
      // Without a judged document among the first ones, the whole loss is over all documents.
      return [...near, ...labelParts(query, near.length > 0 ? 0.5 : 1)]
    },
  },
} satisfies Record<string, Recipe>

/** The name of a recipe. */
export type RecipeName = keyof typeof recipes

/** The names of all recipes. */
export const recipeNames = Object.keys(recipes) as readonly RecipeName[]

/** T of a recipe, if the scale of the embeddings asks for another. */
export function inverseTemperatureOf(recipe: RecipeName, measured: number): number {
  const { sharpest = Infinity }: Recipe = recipes[recipe]
  return Math.min(measured, sharpest)
}

/** Λ of a recipe: it grows with T², as the curvature of the loss does. */
export function shrinkageOf(recipe: RecipeName, inverseTemperature: number): number {
  return recipes[recipe].shrinkage * (inverseTemperature / 20) ** 2
}

/** The recipe that fits the judgments of queries, and whether a teacher can rank for them. */
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

/** Queries with evidence-based labels (docs/method.md section 6), made with their embeddings as they are. */
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

/** Queries for a fit; queries that a recipe can learn nothing from are left out. */
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

/** The ranking of a teacher, against the first documents. */
function rankingParts({ taught, retrieved }: TaughtQuery, weight: number): LossPart[] {
  if (!taught || taught.rows.length === 0) return []
  const over = new Set([...Array.from(retrieved).slice(0, LIST), ...Array.from(taught.rows)])
  return [{ weight, target: taught, over: Uint32Array.from(over) }]
}

/** Labels, or equal probability on the relevant documents, against all documents. */
function labelParts({ relevant, labels }: TaughtQuery, weight: number): LossPart[] {
  const target = labels ? normalized(labels) : equal(relevant)
  return target.rows.length > 0 ? [{ weight, target, over: 'corpus' }] : []
}

/** Equal probability on the relevant ones of the first documents, against these. */
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
