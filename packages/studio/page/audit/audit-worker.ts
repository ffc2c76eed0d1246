import { auditCandidates } from '@kith/core'
import { auditPreset, injectGroundTruth } from '@kith/core/internal'
import { type AuditEntry, byEvidence } from '@kith/pipelines/judging'
import type { StudioContext } from '../../src/studio-wire.ts'
import { QueryContext } from '../model/query-context.ts'
import { listen, source } from '../model/source.ts'

/** The worker of the audit: reads the judged queries once, until it is done or stopped. */
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

/**
 * The unjudged documents of one query with most evidence, as `kith audit` lists them with its
 * defaults; undefined if the relevant documents do not fit a context.
 */
function suspectsOf(
  source: StudioContext,
  { texts, level }: { texts: boolean; level: number },
): AuditEntry[] | undefined {
  const { query, documents, retrieved, truth } = source
  const { contextSize } = auditPreset
  if (truth.length > contextSize) return undefined
  const context = injectGroundTruth(truth, Array(retrieved).keys(), contextSize)
  const words = new QueryContext(source)
  const grades = context.map((document) => documents[document]!.grade)
  const idOf = (candidate: number): string => documents[context[candidate]!]!.id
  const tokenizer = texts ? 'english' : undefined
  return auditCandidates(words.query(tokenizer), words.of(context, tokenizer), grades, {
    level,
  }).map(({ candidate, evidence, relevantNeighbors }) => ({
    query: query.id,
    document: idOf(candidate),
    evidence,
    relevantNeighbors: relevantNeighbors.map(({ candidate: known, similarity, jaccard }) => ({
      document: idOf(known),
      similarity,
      jaccard,
    })),
  }))
}

/** The page's request to the worker. */
export interface AuditWish {
  texts: boolean
  /** From which grade on a document is relevant. */
  level: number
}

/** The findings of an audit. */
export interface AuditFound {
  entries: AuditEntry[]
  /** The texts of their queries by id, if there are any. */
  queries: Record<string, string>
}

/** How far the audit is; the documents come at the end. */
interface AuditReport {
  done: number
  total: number
  /** Queries with more relevant documents than a context has room for. */
  leftOut: number
  found?: AuditFound
}

/** The worker's answer. */
export type AuditAnswer = AuditReport | { error: string }
