import { stat } from 'node:fs/promises'
import { isPipeOrDevice, isStandardInput } from '@kith/base'
import type { MetricUse, Settings } from '@kith/core'
import { compareVectors, fittingMetric, metricRemark } from '@kith/core/internal'
import type { Embeddings } from '@kith/ir'
import { streamRankings } from '@kith/ir/internal'
import { readSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'

/** The queries, and the first candidates of each, that the metric of a run is chosen by. */
const QUERIES = 50
const CANDIDATES = 50

/** A query of a run with its documents, best first. */
interface Ranked {
  query: string
  ids: ArrayLike<string>
}

/** A run, and where the vectors of its queries and documents are. */
interface MetricSources {
  /** The file of the run, whose sidecar may know the metric. */
  run: string
  rankings: Iterable<Ranked> | AsyncIterable<Ranked>
  queries: Pick<Embeddings, 'rowOf' | 'read'>
  /** The vectors of documents; undefined if one is missing. */
  documents(ids: readonly string[]): Promise<(Float32Array | undefined)[]>
}

/**
 * The metric for a run: the requested metric, else the metric in the run's sidecar,
 * else the one that fits the order of its first queries. It stays `auto` if their vectors all
 * have length 1. A remark says which one was taken and why, or that the one that is asked for contradicts
 * the order.
 */
export async function runMetric(
  metric: Settings['metric'],
  sources: MetricSources,
  { onRemark }: Hooks,
): Promise<Settings['metric']> {
  const known = metric === 'auto' ? await sidecarMetric(sources.run) : undefined
  const use = await useOf(metric, sources)
  if (known) {
    if (use && use.agreement!.dot !== use.agreement!.cosine) {
      onRemark?.(`vectors differ in length; using metric ${known} from ${sources.run}.meta.json`)
    }
    return known
  }
  const remark = use && metricRemark(metric, use, 'the run')
  if (remark) onRemark?.(remark)
  return metric === 'auto' && use ? use.name : metric
}

/** The rankings of a run's file; none if it can only be read once. */
export function rankingsIn(run: string): MetricSources['rankings'] {
  return isStandardInput(run) || isPipeOrDevice(run) ? [] : streamRankings(run)
}

/** `documents` of embeddings in a file. */
export function documentsIn(docs: Pick<Embeddings, 'rowOf' | 'read'>): MetricSources['documents'] {
  return async (ids) =>
    ids.map((id) => {
      const row = docs.rowOf(id)
      return row === undefined ? undefined : docs.read(row, row + 1)
    })
}

/**
 * The agreement of both metrics with the order of the first queries; undefined if lengths do not
 * differ.
 */
async function useOf(
  metric: Settings['metric'],
  { rankings, queries, documents }: MetricSources,
): Promise<MetricUse | undefined> {
  const sum = { dot: 0, cosine: 0 }
  let [seen, differing] = [0, 0]
  for await (const { query, ids } of rankings) {
    if (seen++ === QUERIES) break
    const row = queries.rowOf(query)
    if (row === undefined) continue
    const found = await documents(Array.from(ids).slice(0, CANDIDATES))
    const vectors = found.filter((vector) => vector !== undefined)
    const { agreement } = compareVectors('auto', [queries.read(row, row + 1), ...vectors])
    if (!agreement) continue
    differing++
    sum.dot += agreement.dot
    sum.cosine += agreement.cosine
  }
  if (differing === 0) return undefined
  const agreement = { dot: sum.dot / differing, cosine: sum.cosine / differing }
  return { name: metric === 'auto' ? fittingMetric(agreement) : metric, unit: false, agreement }
}

/** The metric in a run's sidecar, if the sidecar still belongs to the run. */
async function sidecarMetric(run: string): Promise<'dot' | 'cosine' | undefined> {
  // A damaged sidecar says nothing, and the order of the run still does.
  const made = await readSidecar(run).catch(() => undefined)
  const metric = made?.settings?.['metric']
  if (metric !== 'dot' && metric !== 'cosine') return undefined
  const found = await stat(run).catch(() => undefined)
  return found?.size === made?.output?.bytes ? metric : undefined
}

/** Documents whose lengths are compared. */
const SAMPLE = 1000

/** Squared lengths whose ratio is this near to 1 are equal, in half precision too. */
const EQUAL = 2e-3

/** Whether vectors differ in length, so that inner product and cosine put them in different orders. */
export function differInLength(vectors: Iterable<Float32Array>): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const vector of vectors) {
    let square = 0
    for (const value of vector) square += value ** 2
    // A vector of zeros has no direction, and is as near by either metric.
    if (square === 0) continue
    if (square < least) least = square
    if (square > most) most = square
  }
  return most - least > EQUAL * least
}

/** Whether the first documents of a file of embeddings differ in length. */
export function documentsDiffer(docs: Pick<Embeddings, 'rows' | 'read'>): boolean {
  const rows = Array.from({ length: Math.min(docs.rows, SAMPLE) }, (_, row) => row)
  return differInLength(rows.map((row) => docs.read(row, row + 1)))
}

/**
 * Reports that documents of different lengths are searched by inner product without a metric in the
 * options.
 */
export function remarkLengths({ onRemark }: Hooks): void {
  onRemark?.(
    'document vectors differ in length; searching by metric dot, which favors long vectors: pass metric cosine, or metric dot to confirm',
  )
}
