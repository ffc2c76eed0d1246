import { chooseMetric, type Metric, type MetricUse } from './method/metric.ts'
import { queryProducts } from './query-products.ts'
import type { Settings } from './settings/settings.ts'

/** An order fits a metric that agrees with so large a share of its pairs. */
const FITS = 0.9

/** A metric contradicts an order that another one fits better by so much. */
const APART = 0.05

/** The metric of vectors, the query's first and the candidates' in the order in which they came. */
export function compareVectors(
  metric: Settings['metric'],
  vectors: readonly Float32Array[],
): MetricUse {
  const compared = queryProducts(vectors)
  return chooseMetric(metric, compared, () => compared)
}

/**
 * The metric of documents that may come in any order, from the products of `queryProducts`: `auto` is
 * the cosine unless all have length 1, or stand in an order that clearly is one by inner product.
 */
export function metricInAnyOrder(
  metric: Settings['metric'],
  compared: ReturnType<typeof queryProducts>,
): Metric {
  const { name, agreement } = chooseMetric(metric, compared, () => compared)
  if (metric !== 'auto' || agreement === undefined || agreement.dot >= FITS) return name
  return 'cosine'
}

/**
 * Says which metric was taken and why, where vectors differ in length, or that a metric contradicts
 * the order; undefined where there is nothing to say.
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
  if (metric === 'auto') {
    return `vectors differ in length; using metric ${name}, which fits the order of ${whose} better than ${other} (${against(own, others)})`
  }
  if (others < FITS || others - own < APART) return undefined
  return `vectors differ in length, and the order of ${whose} fits ${other} better than ${name} (${against(others, own)}), but metric is ${name}: pass ${other}, or leave the metric out`
}

function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`
}
