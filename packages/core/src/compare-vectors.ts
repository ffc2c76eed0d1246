import { chooseMetric, FITS, type MetricUse } from './method/metric.ts'
import { queryProducts } from './query-products.ts'
import type { Settings } from './settings/settings.ts'

/** A metric contradicts an order that another one fits better by so much. */
const APART = 0.05

/** The metric of vectors, the query's first and the candidates' in the order in which they came. */
export function compareVectors(
  metric: Settings['metric'],
  vectors: readonly Float32Array[],
): MetricUse {
  return compareProducts(metric, queryProducts(vectors))
}

/** As `compareVectors`, from the products of `queryProducts`. */
export function compareProducts(
  metric: Settings['metric'],
  compared: ReturnType<typeof queryProducts>,
): MetricUse {
  return chooseMetric(metric, compared, () => compared)
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
  if (metric === 'auto' && own < FITS) {
    return `vectors differ in length; using metric ${name}, since the order of ${whose} fits neither metric (${name} ${percent(own)} of pairs, ${other} ${percent(others)})`
  }
  if (metric === 'auto') {
    return `vectors differ in length; using metric ${name}, which fits the order of ${whose} better than ${other} (${against(own, others)})`
  }
  if (others < FITS || others - own < APART) return undefined
  return `vectors differ in length, and the order of ${whose} fits ${other} better than ${name} (${against(others, own)}), but metric is ${name}: pass ${other}, or leave the metric out`
}

function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`
}
