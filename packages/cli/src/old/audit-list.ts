import { readQrels, streamRankings, writeAtomic } from '@kith/ir'
import type { AuditTask, Finding, LeftOut } from '@kith/pipelines/internal'
import {
  type AuditEntry,
  auditPage,
  auditTasks,
  missingPolicies,
  runTasks,
  workersFor,
  writeSidecar,
} from '@kith/pipelines/internal'
import type { Values } from '../options/command.ts'
import { optionalChoice, optionalText, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'
import { type AuditSources, openAudit } from './audit-inputs.ts'

/** `kith audit`: the list of documents that are probably relevant, and the page to judge them on. */
export async function listMissing(values: Values, output: Output): Promise<void> {
  const out = text(values, 'out')
  const page = optionalText(values, 'page') ?? pageBeside(out)
  const top = optionalWhole(values, 'per-query') ?? 10
  const limit = optionalWhole(values, 'limit') ?? Infinity
  const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
  const sources = await openAudit(values)
  const { settings, level } = sources
  try {
    const qrels = await readQrels(sources.qrels)
    const leftOut: LeftOut = {}
    const plan = {
      ...sources,
      rankings: streamRankings(sources.run),
      qrels,
      contextSize: settings.contextSize,
      missing,
      from: 0,
      to: Infinity,
    }
    const inputs = { ...sources.inputs, settings, top }
    const workers = optionalWhole(values, 'workers') ?? workersFor(qrels.size)
    const progress = output.progress('auditing', qrels.size)
    const entries: AuditEntry[] = []
    let queries = 0
    for await (const [task, findings] of runTasks(
      'audit',
      inputs,
      auditTasks(plan, leftOut),
      workers,
    )) {
      entries.push(...findings.map((finding) => entryOf(sources, task, finding)))
      progress.update(++queries)
    }
    progress.end()
    // Ties by the ids, so that the list never depends on anything else.
    entries.sort(
      (a, b) =>
        b.evidence - a.evidence || compare(a.query, b.query) || compare(a.document, b.document),
    )
    entries.splice(limit)
    await writeAtomic(out, (write) =>
      write(/\.jsonl?(\.gz)?$/i.test(out) ? asJsonl(entries) : asTsv(entries)),
    )
    const title = `${sources.run} · ${sources.qrels}`
    const html = auditPage(entries, sources.texts, { title, grade: level })
    await writeAtomic(page, (write) => write(html))
    await writeSidecar(out, 'audit', { ...settings, level, top, missing }, sources.files)
    output.result(
      { out, page, queries, documents: entries.length, leftOut },
      [
        `${out}: ${entries.length} unjudged documents of ${queries} queries, most evidence first`,
        `${page}: open it in a browser to judge them`,
        ...Object.entries(leftOut).map(([why, count]) => `${count} queries left out: ${why}`),
      ].join('\n'),
    )
  } finally {
    sources.close()
  }
}

/** Where the page goes if no option names a place. */
export function pageBeside(out: string): string {
  return `${out.replace(/\.(tsv|jsonl?)(\.gz)?$/i, '')}.html`
}

function entryOf({ docs }: AuditSources, task: AuditTask, finding: Finding): AuditEntry {
  const idOf = (document: number): string => docs.idOf(task.rows[document]!)
  return {
    query: task.query,
    document: idOf(finding.document),
    evidence: finding.evidence,
    vouchers: finding.vouchers.map(({ document, similarity, jaccard }) => ({
      document: idOf(document),
      similarity,
      jaccard,
    })),
  }
}

function asTsv(entries: readonly AuditEntry[]): string {
  const lines = entries.map(({ query, document, evidence, vouchers }) => {
    const speaking = vouchers.map(
      (voucher) => `${voucher.document}:${voucher.similarity.toFixed(4)}`,
    )
    return [query, document, evidence.toFixed(4), speaking.join(' ')].join('\t')
  })
  return `${['query\tdocument\tevidence\tvouchers', ...lines].join('\n')}\n`
}

function asJsonl(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
