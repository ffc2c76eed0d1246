import { writeAtomic } from '@kith/base'
import { readQrels } from '@kith/ir'
import { shareQrels } from '@kith/ir/internal'
import { shownPath } from '../files/paths.ts'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { jobDefaults, pageBeside } from '../job/job-defaults.ts'
import { namingFiles } from '../join/missing.ts'
import { slicesBetween } from '../labels/label-slice.ts'
import type { LeftOut } from '../labels/query-labels.ts'
import { openRun } from '../tasks/open-run.ts'
import { runTasks, workersFor } from '../tasks/task-pool.ts'
import { auditPage } from './audit-page.ts'
import { type AuditFiles, type AuditSources, openAudit } from './audit-sources.ts'
import { type AuditEntry, byEvidence } from './judging.ts'

/** The inputs and outputs of an audit. */
export interface AuditInputs extends AuditFiles {
  /** The list to write: TSV, or JSON lines if the name ends in `.jsonl`. */
  out: string
  /** The page to write; default: beside the list, with the list's name. */
  page?: string | undefined
  /** Maximum number of documents to list per query. Default: 10. */
  perQuery?: number | undefined
  /** Maximum total number of documents to list. Default: no limit. */
  limit?: number | undefined
}

/** The result of an audit. */
export interface AuditResult {
  out: string
  page: string
  /** The number of audited queries, and of listed documents. */
  queries: number
  documents: number
  /** The number of queries left out, by reason. */
  leftOut: Readonly<Record<string, number>>
}

/**
 * Lists the documents that are probably relevant but were never judged, most evidence first, and
 * writes a page on which a person judges them.
 *
 * ```ts
 * const { page } = await auditRun({
 *   run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy', qrels: 'qrels.trec',
 *   corpus: 'corpus.jsonl', queryText: 'queries.jsonl', out: 'audit.tsv',
 * })
 * ```
 */
export async function auditRun(inputs: AuditInputs, hooks: Hooks = {}): Promise<AuditResult> {
  const sources = await openAudit(inputs, hooks)
  try {
    return await namingFiles(inputs, () => auditWith(sources, inputs, hooks))
  } finally {
    await sources.close()
  }
}

async function auditWith(
  sources: AuditSources,
  inputs: AuditInputs,
  hooks: Hooks,
): Promise<AuditResult> {
  const { settings, level, missing } = sources
  const {
    out,
    run,
    page = pageBeside(out),
    perQuery = jobDefaults.perQuery,
    limit = Infinity,
  } = inputs
  const qrels = await readQrels(inputs.qrels)
  const job = { ...sources.shared, qrels: shareQrels(qrels), perQuery }
  const tasks = slicesBetween(await openRun(run), 0, Number.POSITIVE_INFINITY)
  const workers = inputs.workers ?? workersFor(qrels.size)
  const onDone = stageOf(hooks, 'auditing', qrels.size)
  const leftOut: LeftOut = {}
  const entries: AuditEntry[] = []
  let queries = 0
  for await (const [, { results }] of runTasks('audit', job, tasks, workers, { batch: 1 })) {
    for (const result of results) {
      if ('leftOut' in result) leftOut[result.leftOut] = (leftOut[result.leftOut] ?? 0) + 1
      if (!('entries' in result)) continue
      entries.push(...result.entries)
      onDone(++queries)
    }
  }
  entries.sort(byEvidence).splice(limit)
  await writeAtomic(out, (write) =>
    write(/\.jsonl?(\.gz)?$/i.test(out) ? asJsonl(entries) : asTsv(entries)),
  )
  const title = `${shownPath(run)} · ${shownPath(inputs.qrels)}`
  const html = auditPage(entries, sources.texts, { title, grade: level })
  await writeAtomic(page, (write) => write(html))
  const files = [run, inputs.queries, inputs.docs, inputs.qrels, inputs.corpus, inputs.queryText]
  await writeSidecar(
    out,
    'audit',
    { ...settings, level, top: perQuery, missing },
    files.filter((file) => file !== undefined),
  )
  return { out, page, queries, documents: entries.length, leftOut }
}

function asTsv(entries: readonly AuditEntry[]): string {
  const lines = entries.map(({ query, document, evidence, relevantNeighbors }) => {
    const neighbors = relevantNeighbors.map(
      (neighbor) => `${neighbor.document}:${neighbor.similarity.toFixed(4)}`,
    )
    return [query, document, evidence.toFixed(4), neighbors.join(' ')].join('\t')
  })
  return `${['query\tdocument\tevidence\trelevantNeighbors', ...lines].join('\n')}\n`
}

function asJsonl(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}
