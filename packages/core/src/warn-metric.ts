import { metricRemark } from './compare-vectors.ts'
import type { MetricUse } from './method/metric.ts'
import type { Settings } from './settings/settings.ts'

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
