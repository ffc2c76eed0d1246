import type { Products } from './kernel/engine.ts'
import { chooseMetric, FITS, type MetricUse } from './method/metric.ts'
import type { Settings } from './settings/settings.ts'
import { WorkspacePool } from './workspace.ts'

const workspaces = /* @__PURE__ */ new WorkspacePool()

/** Vectors that are looked at together; an engine has room for the similarities of all pairs. */
const BLOCK = 256

/** A metric contradicts an order that another one fits better by so much. */
const APART = 0.05

/**
 * The inner products of vectors of one length with the first of them, and with themselves. If a
 * vector has a number that is not finite, so is its square.
 */
export function queryProducts(vectors: readonly Float32Array[]): Products {
  const toQuery = new Float64Array(vectors.length)
  const squares = new Float64Array(vectors.length)
  const [query] = vectors
  const dimensions = query?.length ?? 0
  workspaces.use((workspace) => {
    const engine = workspace.engine()
    for (let from = 0; from < vectors.length; from += BLOCK) {
      const block = vectors.slice(from, from + BLOCK)
      const found = engine.products({
        count: block.length + 1,
        dimensions,
        copyTo(data, at, stride) {
          data.set(query!, at)
          block.forEach((vector, i) => {
            data.set(vector, at + (i + 1) * stride)
          })
        },
      })
      toQuery.set(found.toQuery.subarray(1), from)
      squares.set(found.squares.subarray(1), from)
    }
  })
  return { toQuery, squares }
}

/** The metric of vectors, the query's first and the candidates' in the order in which they came. */
export function compareVectors(
  metric: Settings['metric'],
  vectors: readonly Float32Array[],
): MetricUse {
  return compareProducts(metric, queryProducts(vectors))
}

/** As `compareVectors`, from the products of `queryProducts`. */
export function compareProducts(metric: Settings['metric'], compared: Products): MetricUse {
  return chooseMetric(metric, compared)
}

/**
 * Says which metric was taken and why, if vectors differ in length, or that a metric contradicts
 * the order; undefined if there is nothing to say.
 *
 * @param whose The list whose order counts, such as `the run`.
 */
export function metricRemark(
  metric: Settings['metric'],
  { name, agreement }: MetricUse,
  whose: string,
): string | undefined {
  if (!agreement || agreement.dot === agreement.cosine) return undefined
  const other = name === 'dot' ? 'cosine' : 'dot'
  const [own, others] = [agreement[name], agreement[other]]
  const against = (share: number, rest: number) =>
    `${percent(share)} of pairs against ${percent(rest)}`
  if (metric === 'auto' && own < FITS) {
    return `vectors differ in length; using metric ${name}, since the order of ${whose} fits neither metric (${name} ${percent(own)} of pairs, ${other} ${percent(others)})`
  }
  if (metric === 'auto') {
    return `vectors differ in length; using metric ${name}, which fits the order of ${whose} better than ${other} (${against(own, others)})`
  }
  if (others < FITS || others - own < APART) return undefined
  return `vectors differ in length, and the order of ${whose} fits ${other} better than ${name} (${against(others, own)}), but metric is ${name}: pass ${other}, or leave the metric out`
}

let warned = false

/**
 * Warns, once in a process, which metric was taken for vectors that differ in length, or that a metric
 * contradicts their order: a warning of Node's process, or of the console in browsers.
 */
export function warnMetric(
  metric: Settings['metric'],
  use: MetricUse | undefined,
  whose: string,
): void {
  const remark = warned || use === undefined ? undefined : metricRemark(metric, use, whose)
  if (remark === undefined) return
  warned = true
  const { process, console } = globalThis as {
    process?: { emitWarning?: (text: string, type: string) => void }
    console?: { warn(text: string): void }
  }
  if (process?.emitWarning) process.emitWarning(remark, 'KithWarning')
  else console?.warn(`KithWarning: ${remark}`)
}

function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`
}
