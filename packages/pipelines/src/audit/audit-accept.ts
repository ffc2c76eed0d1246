import { KithError } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import { readQrels, writeQrels } from '@kith/ir'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'

/** The files for merging judgments. */
export interface AuditAcceptInputs {
  /** The current judgments. */
  qrels: string
  /** The judgments that the page exported. */
  decisions: string
  /** The file to write the merged judgments to. */
  out: string
}

/** The result of a merge: the number of added decisions of each kind. */
export interface AuditAcceptResult {
  out: string
  accepted: number
  rejected: number
}

/**
 * Merges a person's decisions into the current judgments; throws if they contradict each other.
 *
 * ```ts
 * await auditAccept({ qrels: 'qrels.trec', decisions: 'decisions.json', out: 'more.trec' })
 * ```
 */
export async function auditAccept(
  { qrels, decisions, out }: AuditAcceptInputs,
  { signal }: Hooks = {},
): Promise<AuditAcceptResult> {
  const merged = new Map(
    Array.from(await readQrels(qrels), ([query, judged]) => [query, new Map(judged)]),
  )
  let [accepted, rejected] = [0, 0]
  for (const [query, decided] of await readQrels(decisions)) {
    const judged = merged.get(query)
    if (!judged) {
      throw new KithError(
        'BAD_INPUT',
        `${decisions}: query ${query} is not in ${qrels}; pass the judgments that the audit page was made from`,
      )
    }
    for (const [document, grade] of decided) {
      const before = judged.get(document)
      if (before === grade) continue
      if (before !== undefined && before >= 0) {
        throw new KithError(
          'BAD_INPUT',
          `${decisions}: document ${document} of query ${query} has grade ${grade}, but ${qrels} has grade ${before}; remove one of the two`,
        )
      }
      judged.set(document, grade)
      if (grade > 0) accepted++
      else rejected++
    }
  }
  throwIfAborted(signal)
  await writeQrels(out, merged)
  await writeSidecar(out, 'audit --accept', {}, [qrels, decisions])
  return { out, accepted, rejected }
}
