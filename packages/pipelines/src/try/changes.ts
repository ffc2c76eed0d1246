import { type Evaluation, type Run, readRun } from '@kith/ir'
import { OpenTexts } from '../join/open-texts.ts'

/** Maximum number of queries to show as gained, and as lost. */
const SHOWN = 5

/** Number of first documents to compare per query. */
const DEPTH = 5

/** A query whose ranking changed. */
export interface QueryChange {
  query: string
  text: string
  /** The measure before and after, if there are judgments. */
  before?: number | undefined
  after?: number | undefined
  /** The first five documents before and after, by title or the beginning of their text. */
  top: { before: readonly string[]; after: readonly string[] }
}

/** The queries that changed most. */
export interface Changes {
  /**
   * With judgments: the queries that gained most. Without: the queries whose first five documents
   * changed most.
   */
  gained: readonly QueryChange[]
  /** The queries that lost most; empty without judgments. */
  lost: readonly QueryChange[]
  queries: number
  /**
   * Number of queries with another first document, and mean number of new documents in the first
   * five.
   */
  newFirst: number
  newInTop: number
}

/** Compares two runs query by query, by their first measure if they were evaluated. */
export async function changesOf(
  texts: { corpus: string; queryText: string },
  files: readonly [before: string, after: string],
  evaluations: readonly Evaluation[] | undefined,
): Promise<Changes> {
  const [before, after] = [await readRun(files[0]), await readRun(files[1])]
  const shared = before.queries.filter((query) => after.has(query))
  const tops = shared.map((query) => ({
    query,
    before: topOf(before, query),
    after: topOf(after, query),
  }))
  const counted = {
    queries: shared.length,
    newFirst: tops.filter((top) => top.before[0] !== top.after[0]).length,
    newInTop: tops.reduce((sum, top) => sum + newIn(top), 0) / Math.max(1, tops.length),
  }
  await using open = await OpenTexts.open(texts, 'english')
  const shown = (id: string): string => {
    const entry = open.document(id)
    return `${id} ${cut(entry?.title || entry?.text || '')}`.trim()
  }
  const show = ({ query, before: old, after: now }: (typeof tops)[number]): QueryChange => ({
    query,
    text: cut(open.query(query)?.text ?? ''),
    ...valuesOf(query, evaluations),
    top: { before: old.map(shown), after: now.map(shown) },
  })
  if (!evaluations) {
    const most = tops.filter((top) => moved(top) > 0).sort((a, b) => moved(b) - moved(a))
    return { ...counted, gained: most.slice(0, SHOWN).map(show), lost: [] }
  }
  const gain = ({ query }: { query: string }): number => {
    const { before: old = 0, after: now = 0 } = valuesOf(query, evaluations)
    return now - old
  }
  const ordered = tops.filter((top) => gain(top) !== 0).sort((a, b) => gain(b) - gain(a))
  return {
    ...counted,
    gained: ordered
      .filter((top) => gain(top) > 0)
      .slice(0, SHOWN)
      .map(show),
    lost: ordered
      .filter((top) => gain(top) < 0)
      .slice(-SHOWN)
      .reverse()
      .map(show),
  }
}

function topOf(run: Run, query: string): readonly string[] {
  return run.get(query)!.ids.slice(0, DEPTH)
}

/** Counts the first documents that were not among the first documents before. */
function newIn({ before, after }: { before: readonly string[]; after: readonly string[] }): number {
  return after.filter((id) => !before.includes(id)).length
}

/**
 * Sums the rank changes of the first documents; a new document counts as coming from the rank below
 * them.
 */
function moved({ before, after }: { before: readonly string[]; after: readonly string[] }): number {
  return after.reduce((sum, id, rank) => {
    const old = before.indexOf(id)
    return sum + Math.abs((old < 0 ? DEPTH : old) - rank)
  }, 0)
}

function valuesOf(
  query: string,
  evaluations: readonly Evaluation[] | undefined,
): { before?: number | undefined; after?: number | undefined } {
  const [before, after] = (evaluations ?? []).map(({ queries, measures, perQuery }) => {
    const at = queries.indexOf(query)
    return at < 0 ? undefined : perQuery[measures[0]!]![at]
  })
  return { before, after }
}

/** Returns the beginning of a text, on one line. */
function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
