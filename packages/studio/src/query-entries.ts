import type { StudioSources } from './studio-sources.ts'
import type { QueryEntry } from './studio-wire.ts'

/** The queries of the run that have an embedding and, where there are texts, a text. */
export function entriesOf(
  { run, queries, texts, qrels }: StudioSources,
  level: number,
): Map<string, QueryEntry> {
  const entries = new Map<string, QueryEntry>()
  for (const id of run.queries) {
    const text = texts?.queries.get(id)?.text
    if (queries.rowOf(id) === undefined || (texts && text === undefined)) continue
    const grades = [...(qrels.get(id)?.values() ?? [])]
    entries.set(id, { id, text, relevant: grades.filter((grade) => grade >= level).length })
  }
  return entries
}
