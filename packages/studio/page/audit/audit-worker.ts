import { fetchContext, fetchJudged } from '../model/api.ts'
import type { AuditAnswer, AuditWish, Suspect } from './audit-messages.ts'
import { AUDIT_CONTEXT, byEvidence, suspectsOf } from './suspects.ts'

/** The worker of the audit: goes through the judged queries once, until it is done or told to stop. */
let stopped = false

addEventListener('message', ({ data }: MessageEvent<AuditWish | 'stop'>) => {
  if (data === 'stop') stopped = true
  else void audit(data)
})

/** Queries that are asked for at a time. */
const TOGETHER = 4
/** Nobody judges more than this. */
const LISTED = 10_000

async function audit({ texts }: AuditWish): Promise<void> {
  try {
    const queries = await fetchJudged()
    let suspects: Suspect[] = []
    let [done, leftOut] = [0, 0]
    for (let from = 0; from < queries.length && !stopped; from += TOGETHER) {
      const part = queries.slice(from, from + TOGETHER)
      const contexts = await Promise.all(
        part.map((query) => fetchContext(query, AUDIT_CONTEXT, { truth: true })),
      )
      for (const context of contexts) {
        const found = suspectsOf(context, texts)
        if (found) suspects.push(...found)
        else leftOut++
        done++
      }
      if (suspects.length > 2 * LISTED) suspects = suspects.sort(byEvidence).slice(0, LISTED)
      answer({ done, total: queries.length, leftOut })
    }
    suspects = suspects.sort(byEvidence).slice(0, LISTED)
    answer({ done, total: queries.length, leftOut, suspects })
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
}

function answer(message: AuditAnswer): void {
  postMessage(message)
}
