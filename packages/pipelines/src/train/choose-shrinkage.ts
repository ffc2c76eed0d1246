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

/** A shrinkage, and the measure of an adapter with it on held-out queries. */
export interface TriedShrinkage {
  shrinkage: number
  value: number
}

/** The shrinkage to fit with, and how an adapter with it does on held-out queries. */
export interface ShrinkageChoice {
  shrinkage: number
  tried: readonly TriedShrinkage[]
  /** The measure that decided. */
  measure: string
  /** Figures before and after; undefined if no queries are held out. */
  measures: HeldOutFigures['measures'] | undefined
}

/** Held-out queries, and how an adapter for them is fitted. */
interface ShrinkageTest {
  queries: HeldOutQueries
  docs: Embeddings
  metric: Metric
  level: number | undefined
  device: DeviceOptions
  /** Fits an adapter to other queries than the held-out ones. */
  fit(shrinkage: number): Promise<AdapterModel>
}

/** The factors of the usual shrinkage that are tried beside it. */
const FACTORS = [4, 1 / 4]
/** Held-out queries below which measures are too noisy to choose by. */
const ENOUGH = 100
/** Another shrinkage is taken if it is better with this p value. */
const SIGNIFICANT = 0.05

/**
 * Chooses the shrinkage of an adapter. The usual one stays unless another is significantly better on
 * enough held-out queries with several judgments each: one label per query is too noisy to choose by.
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

/** The figures of held-out queries, with an adapter or without. */
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
