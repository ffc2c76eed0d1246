import { auditPreset } from '@kith/core'
import type { VNode } from 'preact'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { Judging } from './judging.tsx'
import { useAudit } from './use-audit.ts'

/** Documents that are probably relevant but were never judged, for a person to decide. */
export function AuditView({ info }: { info: StudioInfo }): VNode {
  if (info.judged === 0) {
    return (
      <section class="audit">
        <h1>Nothing to go by</h1>
        <p>
          An audit looks for documents that resemble those judged relevant
          {info.files ? (
            <>
              . Start the studio with judgments: <code>kith studio … --qrels FILE</code>
            </>
          ) : (
            <>
              : give some documents <code>"relevant": true</code>
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
        In the {auditPreset.contextSize} nearest documents of each judged query, those that resemble
        the query and its relevant documents most.
      </p>
      <progress max={total} value={done} aria-label="Queries looked at" />
      <p class="note">
        {done.toLocaleString('en')} of {total.toLocaleString('en')} queries
      </p>
      <button type="button" onClick={stop} disabled={done === 0}>
        Judge what was found so far
      </button>
    </section>
  )
}
