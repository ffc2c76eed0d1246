import type { StudioSources } from './studio-sources.ts'
import type { QueryEntry, StudioContext, StudioDocument } from './studio-wire.ts'

/** Candidates of one query that the page looks at, at the most. */
export const DEPTH = 1000
/** The depth of nDCG@10. */
const IDEAL = 10

/** A query, its candidates, and what was judged about it. */
export interface JudgedQuery {
  query: QueryEntry
  vector: Float32Array
  ids: readonly string[]
  scores: ArrayLike<number>
  judged: ReadonlyMap<string, number>
}

/** The part of a context that is asked for. */
export interface ContextPart {
  /** Candidates, at the most. */
  top: number
  /** Whether relevant documents that are not among them are added. */
  withTruth: boolean
  /** From which grade on a document is relevant. */
  level: number
}

/** A query with its first candidates: their texts, grades and vectors. */
export function contextOf(
  { docs, texts }: Pick<StudioSources, 'docs' | 'texts'>,
  { query, vector, ids, scores, judged }: JudgedQuery,
  { top, withTruth, level }: ContextPart,
): StudioContext {
  const rows: number[] = []
  const documents: StudioDocument[] = []
  const places = new Map<string, number>()
  let missing = 0
  const add = (document: string, score?: number): void => {
    const row = docs.rowOf(document)
    const entry = texts?.documents.get(document)
    if (row === undefined || (texts && !entry)) {
      missing++
      return
    }
    places.set(document, documents.length)
    rows.push(row)
    const { title, text } = entry ?? {}
    documents.push({ id: document, score, title, text, grade: judged.get(document) })
  }
  for (let i = 0; i < ids.length && documents.length < Math.min(top, DEPTH); i++) {
    add(ids[i]!, scores[i]!)
  }
  const retrieved = documents.length
  const relevant = [...judged.keys()].filter((other) => judged.get(other)! >= level)
  if (withTruth) for (const document of relevant) if (!places.has(document)) add(document)
  const { dimensions } = docs
  const data = new Float32Array((rows.length + 1) * dimensions)
  data.set(vector)
  docs.gather(rows, data.subarray(dimensions))
  return {
    query,
    documents,
    retrieved,
    missing,
    truth: relevant.flatMap((document) => places.get(document) ?? []),
    ideal: [...judged.values()]
      .filter((grade) => grade > 0)
      .sort((a, b) => b - a)
      .slice(0, IDEAL),
    vectors: { data, rows: rows.length + 1, dimensions },
  }
}
