import { stat } from 'node:fs/promises'
import { isPipeOrDevice, isStandardInput } from '@kith/base'
import type { MetricUse, Settings } from '@kith/core'
import { compareVectors, fittingMetric, metricRemark } from '@kith/core/internal'
import type { Embeddings } from '@kith/ir'
import { streamRankings } from '@kith/ir/internal'
import { readSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'

/** The number of queries, and of candidates of each query, for detecting the metric of a run. */
const QUERIES = 50
const CANDIDATES = 50

/** A query of a run with its documents, best first. */
interface Ranked {
  query: string
  ids: ArrayLike<string>
}

/** A run, and the sources of its query and document vectors. */
interface MetricSources {
  /** The file of the run, whose sidecar may record the metric. */
  run: string
  rankings: Iterable<Ranked> | AsyncIterable<Ranked>
  queries: Pick<Embeddings, 'rowOf' | 'read'>
  /**
   * Fetches the vectors of documents; undefined for a missing document. The next call may overwrite
   * them.
   */
  documents(ids: readonly string[]): Promise<(Float32Array | undefined)[]>
}

/**
 * Returns the metric for a run: the requested metric, else the metric in the run's sidecar, else
 * the metric that fits the order of its first queries. It stays `auto` if the vectors do not differ
 * in length. A remark names the chosen metric and the reason, or says that the requested metric
 * contradicts the order.
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

/** Reads the rankings of a run; returns none if the file can be read only once. */
export function rankingsIn(run: string): MetricSources['rankings'] {
  return isStandardInput(run) || isPipeOrDevice(run) ? [] : streamRankings(run)
}

/** Implements `documents` for a file of embeddings. */
export function documentsIn(
  docs: Pick<Embeddings, 'rowOf' | 'gather' | 'dimensions'>,
): MetricSources['documents'] {
  const { dimensions } = docs
  // Used again for each query: new memory for each would soon make V8 collect garbage.
  let room = new Float32Array(0)
  return async (ids) => {
    const rows = ids.map((id) => docs.rowOf(id))
    const known = rows.filter((row) => row !== undefined)
    if (room.length < known.length * dimensions) {
      room = new Float32Array(known.length * dimensions)
    }
    const vectors = docs.gather(known, room)
    let at = 0
    return rows.map((row) => {
      if (row === undefined) return undefined
      at += dimensions
      return vectors.subarray(at - dimensions, at)
    })
  }
}

/**
 * Measures the agreement of both metrics with the order of the first queries; undefined if the
 * vectors do not differ in length.
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

/** Returns the metric in a run's sidecar, if the sidecar still belongs to the run. */
async function sidecarMetric(run: string): Promise<'dot' | 'cosine' | undefined> {
  // A damaged sidecar is ignored; the order of the run still tells the metric.
  const made = await readSidecar(run).catch(() => undefined)
  const metric = made?.settings?.['metric']
  if (metric !== 'dot' && metric !== 'cosine') return undefined
  const found = await stat(run).catch(() => undefined)
  return found?.size === made?.output?.bytes ? metric : undefined
}

/** Number of documents whose lengths are compared. */
const SAMPLE = 1000

/** Tolerance for the ratio of squared lengths to count as equal, also in half precision. */
const EQUAL = 2e-3

/**
 * Returns whether vectors differ in length, so that inner product and cosine rank them differently.
 */
export function differInLength(vectors: Iterable<Float32Array>): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const vector of vectors) {
    let square = 0
    for (const value of vector) square += value ** 2
    // A zero vector has no direction, and the same score by either metric.
    if (square === 0) continue
    if (square < least) least = square
    if (square > most) most = square
  }
  return most - least > EQUAL * least
}

/** Returns whether the first documents of a file of embeddings differ in length. */
export function documentsDiffer(docs: Pick<Embeddings, 'rows' | 'read'>): boolean {
  const rows = Array.from({ length: Math.min(docs.rows, SAMPLE) }, (_, row) => row)
  return differInLength(rows.map((row) => docs.read(row, row + 1)))
}

/**
 * Reports that documents of different lengths are searched by inner product because the options set
 * no metric.
 */
export function remarkLengths({ onRemark }: Hooks): void {
  onRemark?.(
    'document vectors differ in length; searching by metric dot, which favors long vectors: pass metric cosine, or metric dot to confirm',
  )
}
