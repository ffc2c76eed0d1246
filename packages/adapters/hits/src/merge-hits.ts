import { KithError, type Vector } from '@kith/core'
import { refuseUnknown } from '@kith/core/internal'
import { checkHits, checkReader, listParts } from './check-arguments.ts'
import { type Reader, scoresOf } from './reader.ts'

/** The hits of one search, best first, and their reader. */
export interface HitList<Hit> {
  hits: readonly Hit[]
  /**
   * Reads the hits; must have `id`. Leave its `vector` out if the list comes from a different
   * encoder than the query's vector.
   */
  reader: ListReader<NoInfer<Hit>>
}

/** A reader for a list that is merged with others. */
export type ListReader<Hit> = Omit<Reader<Hit>, 'vector'> & {
  readonly vector?: Reader<Hit>['vector'] | undefined
}

/** A document that at least one list contains. */
export interface MergedHit<Hits extends readonly unknown[] = readonly unknown[]> {
  id: string
  /** The hit of each list; undefined for a list that does not contain the document. */
  hits: { [List in keyof Hits]: Hits[List] | undefined }
  /** The document's score in each list, higher is better; undefined for a list without a score. */
  scores: (number | undefined)[]
  /**
   * The sum of 1 / (60 + rank) over the lists that contain the document (reciprocal rank fusion).
   */
  fused: number
  /**
   * The similarity to the query to assume for a document without a vector: the score in the first
   * list that has any hits, or the lowest score of that list, since a document outside the list is
   * no nearer than its last hit. Undefined if that list has no scores.
   */
  similarity: number | undefined
  /** The vector, from the first list that has one. */
  vector: Vector | undefined
  text: string | undefined
  title: string | undefined
}

/** The constant of reciprocal rank fusion in the original paper, which most stores use, too. */
const RANK_CONSTANT = 60

/**
 * Merges several lists into one: each document once, with its score in every list, in the order of
 * reciprocal rank fusion, so that all lists contribute to the top places. The first list must come
 * from the vector search: its scores replace missing similarities to the query.
 *
 * ```ts
 * const hits = mergeHits([
 *   { hits: dense, reader: qdrant({ text: 'body' }) },
 *   { hits: lexical, reader: elasticsearch({ text: 'body' }) },
 * ])
 * const better = rerankHits({ vector, text }, hits, merged(), { topN: 10 })
 * ```
 *
 * Ids are compared as strings: 7 equals '7'. If a list contains a document twice, its first
 * position counts.
 */
export function mergeHits<Hits extends readonly unknown[] | []>(
  lists: {
    [List in keyof Hits]: HitList<Hits[List]>
  },
): MergedHit<Hits>[] {
  if (!Array.isArray(lists)) {
    throw new KithError('BAD_INPUT', 'lists must be an array of { hits, reader }')
  }
  const found = new Map<string, MergedHit<unknown[]>>()
  for (const [number, list] of (lists as readonly HitList<unknown>[]).entries()) {
    refuseUnknown(list ?? {}, listParts)
    const { hits, reader } = list ?? {}
    checkHits(hits)
    checkReader(reader)
    const scores = scoresOf(hits, reader)
    for (const [place, hit] of hits.entries()) {
      const id = idOf(hit, reader, `hit ${place} of list ${number}`)
      const own = found.get(id) ?? emptyHit(id, lists.length)
      found.set(id, own)
      if (own.hits[number] !== undefined) continue
      own.hits[number] = hit
      own.scores[number] = scores?.[place]
      own.fused += 1 / (RANK_CONSTANT + place + 1)
      const vector = reader.vector?.(hit)
      if (vector && vector.length > 0) own.vector ??= vector
      own.text ||= reader.text?.(hit)
      own.title ||= reader.title?.(hit)
    }
  }
  const dense = lists.findIndex(({ hits }) => hits.length > 0)
  const all = [...found.values()]
  const known = all.flatMap(({ scores }) => scores[dense] ?? [])
  const lowest = known.length > 0 ? known.reduce((a, b) => Math.min(a, b)) : undefined
  for (const hit of all) hit.similarity = hit.scores[dense] ?? lowest
  // Sorting is stable: among equal scores, documents of the earlier list come first.
  return all.sort((a, b) => b.fused - a.fused) as MergedHit<Hits>[]
}

function idOf(hit: unknown, { id }: ListReader<unknown>, name: string): string {
  const own = id?.(hit) ?? undefined
  if (own !== undefined) return String(own)
  const advice = 'add a function id to the reader, such as { ...reader, id: (hit) => hit.key }'
  throw new KithError('BAD_INPUT', `${name} has no id; ${advice}`)
}

function emptyHit(id: string, lists: number): MergedHit<unknown[]> {
  const none = Array.from({ length: lists }, () => undefined)
  const parts = { similarity: undefined, vector: undefined, text: undefined, title: undefined }
  return { id, hits: [...none], scores: [...none], fused: 0, ...parts }
}
