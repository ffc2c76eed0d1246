import { auditPreset } from '@kith/core/internal'
import { judgingStyle, startJudging } from '@kith/pipelines/judging'
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { source, startWorker } from '../model/source.ts'
import type { AuditAnswer, AuditFound, AuditWish } from './audit-worker.ts'
import AuditWorker from './audit-worker.ts?worker&inline'

/** Documents that are probably relevant but were never judged, for a person to decide. */
export function AuditView({ info }: { info: StudioInfo }): VNode {
  if (info.judged === 0) {
    return (
      <section class="audit">
        <h1>No relevance judgments</h1>
        <p>
          The audit finds unjudged documents that resemble documents judged relevant.{' '}
          {info.files ? (
            <>
              Start the studio with judgments: <code>kith studio … --qrels FILE</code>
            </>
          ) : (
            <>
              Mark some documents with <code>"relevant": true</code>
            </>
          )}
        </p>
      </section>
    )
  }
  return <Audit info={info} />
}

function Audit({ info }: { info: StudioInfo }): VNode {
  const { answer, stop } = useAudit(info)
  if (answer && 'error' in answer) {
    return (
      <p class="failure" role="alert">
        {answer.error}
      </p>
    )
  }
  if (answer?.found) {
    return <Judging info={info} found={answer.found} leftOut={answer.leftOut} />
  }
  const [done, total] = [answer?.done ?? 0, answer?.total ?? info.judged]
  return (
    <section class="audit">
      <h1>Looking for missing judgments</h1>
      <p>
        The audit compares the {auditPreset.contextSize} nearest documents of each judged query with
        the query and its relevant documents.
      </p>
      <progress max={total} value={done} aria-label="Queries compared" />
      <p class="note">
        {done.toLocaleString('en')} of {total.toLocaleString('en')} queries
      </p>
      <button type="button" onClick={stop} disabled={done === 0}>
        Judge the documents found so far
      </button>
    </section>
  )
}

// The studio's policy allows no style elements; a sheet that a script makes is none.
const sheet = new CSSStyleSheet()
sheet.replaceSync(judgingStyle)
document.adoptedStyleSheets.push(sheet)

/** The judging page of `kith audit`, with texts from the page's source. */
function Judging(props: { info: StudioInfo; found: AuditFound; leftOut: number }): VNode {
  const { info, found, leftOut } = props
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { name, files, level: grade } = info
    const title = files ? `${files.run} · ${files.qrels}` : name
    const note =
      leftOut > 0
        ? `${leftOut} queries with more than ${auditPreset.contextSize} relevant documents are left out.`
        : undefined
    return startJudging(
      root.current!,
      { title, grade, ...found, documents: {} },
      { fetchDocuments: (ids) => source().documents(ids), note },
    )
  }, [info, found, leftOut])
  return <div ref={root} />
}

/** The audit of this dataset: it runs once, also while other views are open. */
let worker: Worker | undefined
let latest: AuditAnswer | undefined
let onAnswer: ((answer: AuditAnswer) => void) | undefined

/** The progress of the audit, and at the end its findings. */
function useAudit({ texts, level }: StudioInfo): {
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
