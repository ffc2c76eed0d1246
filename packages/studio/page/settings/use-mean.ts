import { useEffect, useState } from 'preact/hooks'
import type { PageSettings } from '../model/page-settings.ts'
import { startWorker } from '../model/worker-channel.ts'
import type { MeanAnswer, MeanReport, MeanWish } from './mean-messages.ts'
import MeanWorker from './mean-worker.ts?worker&inline'
import { type SliderName, stopsOf } from './sliders.ts'

/** Outlives the panel: it holds the collection's judged queries, as many as fit. */
let worker: Worker | undefined

/** The means over all judged queries, from a worker that always works on the latest settings. */
export function useMean(
  settings: PageSettings,
  along: SliderName,
  { texts, depth }: { texts: boolean; depth: number },
): { report?: MeanReport; error?: string } {
  const [answer, setAnswer] = useState<MeanAnswer>()
  useEffect(() => {
    worker ??= startWorker(MeanWorker)
    worker.onmessage = ({ data }: MessageEvent<MeanAnswer>) => setAnswer(data)
    const stops = stopsOf(along, settings, depth)
    worker.postMessage({ settings, texts, along, stops } satisfies MeanWish)
  }, [settings, along, texts, depth])
  if (!answer) return {}
  return 'error' in answer ? answer : { report: answer }
}
