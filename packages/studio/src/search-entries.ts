import type { QueryEntry, QueryList } from './studio-wire.ts'

/** Queries that one search answers with. */
const LISTED = 50

/** The entries whose id or text has all the words of a search: the first ones, and how many there are. */
export function searchEntries(entries: Iterable<QueryEntry>, words: string): QueryList {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const found: QueryEntry[] = []
  let count = 0
  for (const entry of entries) {
    const text = `${entry.id} ${entry.text ?? ''}`.toLowerCase()
    if (!wanted.every((word) => text.includes(word))) continue
    if (count++ < LISTED) found.push(entry)
  }
  return { found: count, entries: found }
}
