import { useEffect, useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { startWorker } from '../model/worker-channel.ts'
import type { AuditAnswer, AuditWish } from './audit-messages.ts'
import AuditWorker from './audit-worker.ts?worker&inline'

/** The audit of this collection: it runs once, also while other views are open. */
let worker: Worker | undefined
let latest: AuditAnswer | undefined
let onAnswer: ((answer: AuditAnswer) => void) | undefined

/** How far the audit is, and in the end what it has found. */
export function useAudit({ texts, level }: StudioInfo): {
  answer: AuditAnswer | undefined
  stop: () => void
} {
  const [answer, setAnswer] = useState(latest)
  useEffect(() => {
    onAnswer = setAnswer
    if (!worker) {
      worker = startWorker(AuditWorker)
      worker.onmessage = ({ data }: MessageEvent<AuditAnswer>) => {
        latest = data
        onAnswer?.(data)
      }
      worker.postMessage({ texts, level } satisfies AuditWish)
    }
    return () => {
      onAnswer = undefined
    }
  }, [texts, level])
  return { answer, stop: () => worker?.postMessage('stop') }
}
