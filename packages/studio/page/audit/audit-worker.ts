import { auditPreset } from '@kith/core'
import { type AuditEntry, byEvidence } from '@kith/pipelines/judging'
import { source } from '../model/source.ts'
import { listen } from '../model/worker-channel.ts'
import type { AuditAnswer, AuditWish } from './audit-messages.ts'
import { suspectsOf } from './suspects.ts'

/** The worker of the audit: goes through the judged queries once, until it is done or told to stop. */
let stopped = false

listen<AuditWish | 'stop'>((wish) => {
  if (wish === 'stop') stopped = true
  else void audit(wish)
})

/** Queries that are asked for at a time. */
const TOGETHER = 4
/** The most findings in the list: more than a person judges. */
const LISTED = 10_000

async function audit(wish: AuditWish): Promise<void> {
  try {
    const judged = await source().judged()
    const texts = new Map<string, string>()
    let entries: AuditEntry[] = []
    let [done, leftOut] = [0, 0]
    for (let from = 0; from < judged.length && !stopped; from += TOGETHER) {
      const part = judged.slice(from, from + TOGETHER)
      const contexts = await Promise.all(
        part.map((query) => source().context(query, auditPreset.contextSize, { truth: true })),
      )
      for (const context of contexts) {
        const { id, text } = context.query
        if (text !== undefined) texts.set(id, text)
        const found = suspectsOf(context, wish)
        if (found) entries.push(...found)
        else leftOut++
        done++
      }
      if (entries.length > 2 * LISTED) entries = entries.sort(byEvidence).slice(0, LISTED)
      answer({ done, total: judged.length, leftOut })
    }
    entries = entries.sort(byEvidence).slice(0, LISTED)
    const found = { entries, queries: Object.fromEntries(texts) }
    answer({ done, total: judged.length, leftOut, found })
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
}

function answer(message: AuditAnswer): void {
  postMessage(message)
}
