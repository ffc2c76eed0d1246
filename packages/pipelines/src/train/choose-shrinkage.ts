import type { Matrix } from '@kith/core'
import { compare, type Embeddings, type Evaluation } from '@kith/ir'
import type { Metric } from '@kith/stores'
import type { AdapterModel, DeviceOptions } from '@kith/train'
import { jobDefaults } from '../job/job-defaults.ts'
import {
  comparedFigures,
  decisiveMeasure,
  type HeldOutFigures,
  type HeldOutQueries,
  isSparse,
  searchFigures,
} from './hold-out.ts'
import { loadTrain } from './training-inputs.ts'

/** A shrinkage, and the measure of its adapter on held-out queries. */
export interface TriedShrinkage {
  shrinkage: number
  value: number
}

/** The chosen shrinkage, and the figures of its adapter on held-out queries. */
export interface ShrinkageChoice {
  shrinkage: number
  tried: readonly TriedShrinkage[]
  /** The measure that the choice was based on. */
  measure: string
  /** The figures before and after; undefined if no queries are held out. */
  measures: HeldOutFigures['measures'] | undefined
}

/** The held-out queries, and a function that fits an adapter. */
interface ShrinkageTest {
  queries: HeldOutQueries
  docs: Embeddings
  metric: Metric
  level: number | undefined
  device: DeviceOptions
  /** Fits an adapter to the queries that are not held out. */
  fit(shrinkage: number): Promise<AdapterModel>
}

/** The factors of the default shrinkage that are tried besides it. */
const FACTORS = [4, 1 / 4]
/** Minimum number of held-out queries for choosing a shrinkage: measures on fewer are too noisy. */
const ENOUGH = 100
/** Maximum p value at which a better shrinkage replaces the default. */
const SIGNIFICANT = 0.05

/**
 * Chooses the shrinkage of an adapter. The default stays unless another shrinkage is significantly
 * better on enough held-out queries with several judgments each: one label per query is too noisy
 * for a choice.
 */
export async function chooseShrinkage(
  { usual, given }: { usual: number; given: number | undefined },
  test: ShrinkageTest | undefined,
): Promise<ShrinkageChoice> {
  const first = given ?? usual
  const measure = test ? decisiveMeasure(test.queries.qrels) : jobDefaults.measure
  if (!test) return { shrinkage: first, tried: [], measure, measures: undefined }
  const measured = async (shrinkage: number) => ({
    shrinkage,
    figures: await figuresOf(await test.fit(shrinkage), test),
  })
  const { queries, qrels } = test.queries
  const choosing = given === undefined && queries.length >= ENOUGH && !isSparse(qrels)
  const tried = [await measured(first)]
  for (const factor of choosing ? FACTORS : []) tried.push(await measured(first * factor))
  const best = tried.reduce((best, one) => {
    const { difference, randomization } = compare(best.figures, one.figures, measure)
    return difference > 0 && randomization < SIGNIFICANT ? one : best
  })
  const before = await figuresOf(undefined, test)
  return {
    shrinkage: best.shrinkage,
    tried: tried.map(({ shrinkage, figures }) => {
      return { shrinkage, value: figures.mean[measure]! }
    }),
    measure,
    measures: comparedFigures(before, best.figures),
  }
}

/** Evaluates held-out queries, with an adapter or without. */
async function figuresOf(
  model: AdapterModel | undefined,
  { queries, docs, metric, level, device }: ShrinkageTest,
): Promise<Evaluation> {
  const { QueryEncoder } = await loadTrain()
  if (!model)
    return searchFigures(queries, rowsOf(queries, docs.dimensions), { docs, metric, level })
  const encoder = await QueryEncoder.open(model, device)
  const embeddings = await encoder.encode(queries.queries).finally(() => encoder.close())
  return searchFigures(queries, embeddings, { docs, metric, level })
}

function rowsOf({ queries }: HeldOutQueries, dimensions: number): Matrix {
  const data = new Float32Array(queries.length * dimensions)
  queries.forEach(({ vector }, q) => {
    data.set(vector!, q * dimensions)
  })
  return { data, rows: queries.length, dimensions }
}
