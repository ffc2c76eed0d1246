import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import type { PageSettings } from '../model/page-settings.ts'
import { startWorker } from '../model/source.ts'
import RankingWorker from '../model/worker.ts?worker&inline'
import { difference, figure, tone } from '../parts/document-text.tsx'
import type { MeanAnswer, MeanReport, MeanWish } from './mean-study.ts'
import { positionOf, type SliderName, sliderRule, stopsOf } from './sliders.ts'

/** The drawing's own units. */
const [WIDTH, HEIGHT, EDGE] = [280, 96, 8]

/**
 * The effect of the settings over all judged queries: the mean, and its curve along one setting.
 */
export function MeanCurve(props: {
  info: StudioInfo
  settings: PageSettings
  along: SliderName
}): VNode {
  const { info, settings, along } = props
  const { report, error } = useMean(settings, along, info)
  if (error) return <p class="failure">{error}</p>
  const gain = report ? report.after - report.before : 0
  const whole = info.judged.toLocaleString('en')
  return (
    <figure class="mean" aria-busy={!report?.complete}>
      <figcaption>
        <span class="name">
          {info.judged === 1
            ? 'nDCG@10 of the one judged query'
            : `Mean nDCG@10 over ${
                report && report.done < report.total
                  ? `${report.done.toLocaleString('en')} of ${whole}`
                  : `all ${whole}`
              } judged queries`}
        </span>
        <span class="measure">
          <span class="before">{report ? figure(report.before) : '…'}</span>
          <span class="arrow" aria-hidden="true">
            →
          </span>
          <span class="visually-hidden">becomes</span>
          <strong class="after">{report ? figure(report.after) : '…'}</strong>
          {report && <span class={`change ${tone(gain)}`}>{difference(gain)}</span>}
        </span>
      </figcaption>
      <Curve report={report} value={positionOf(along, settings)} label={sliderRule(along).label} />
    </figure>
  )
}

function Curve(props: { report: MeanReport | undefined; value: number; label: string }): VNode {
  const { report, value, label } = props
  const curve = report?.curve ?? []
  const drawable = report !== undefined && curve.length > 1
  const means = curve.map(({ mean }) => mean)
  const low = Math.min(report?.before ?? 0, ...means)
  const high = Math.max(report?.before ?? 1, ...means)
  const [first, last] = [curve[0]?.value ?? 0, curve.at(-1)?.value ?? 1]
  const x = (at: number): number => EDGE + ((at - first) / (last - first)) * (WIDTH - 2 * EDGE)
  const y = (mean: number): number =>
    HEIGHT - EDGE - ((mean - low) / Math.max(high - low, 1e-6)) * (HEIGHT - 2 * EDGE)
  const best = curve.reduce((a, b) => (b.mean > a.mean ? b : a), curve[0] ?? { value: 0, mean: 0 })
  const current = curve.find((stop) => stop.value === value)
  const text = drawable
    ? `Along ${label} from ${shown(first)} to ${shown(last)}: best ${figure(best.mean)} at ${shown(best.value)}`
    : `Along ${label}: still being computed`
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text}>
        {drawable && (
          <>
            <line class="before" x1={0} x2={WIDTH} y1={y(report.before)} y2={y(report.before)} />
            <polyline points={curve.map((stop) => `${x(stop.value)},${y(stop.mean)}`).join(' ')} />
            {curve.map((stop) => (
              <circle key={stop.value} class="stop" cx={x(stop.value)} cy={y(stop.mean)} r={1.75} />
            ))}
            {current && <circle class="current" cx={x(value)} cy={y(current.mean)} r={4.5} />}
          </>
        )}
      </svg>
      <p class="axis">
        <span>{drawable ? shown(first) : ''}</span>
        <span>
          along <em>{label}</em>
          {drawable && `, best at ${shown(best.value)}`}
        </span>
        <span>{drawable ? shown(last) : ''}</span>
      </p>
    </>
  )
}

function shown(value: number): string {
  return String(Number(value.toFixed(3)))
}

/** Outlives the panel: it holds the dataset's judged queries, as many as fit. */
let worker: Worker | undefined

/** The means over all judged queries, from a worker that always works on the latest settings. */
function useMean(
  settings: PageSettings,
  along: SliderName,
  { texts, depth }: { texts: boolean; depth: number },
): { report?: MeanReport; error?: string } {
  const [answer, setAnswer] = useState<MeanAnswer>()
  useEffect(() => {
    worker ??= startWorker(RankingWorker)
    worker.onmessage = ({ data }: MessageEvent<MeanAnswer>) => setAnswer(data)
    const stops = stopsOf(along, settings, depth)
    worker.postMessage({ settings, texts, along, stops } satisfies MeanWish)
  }, [settings, along, texts, depth])
  if (!answer) return {}
  return 'error' in answer ? answer : { report: answer }
}
