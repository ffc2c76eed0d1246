import { KithError } from './error.ts'
import { isObject, type Rows, rowsOf, type Vector, type Vectors, withQuery } from './matrix.ts'
import { type NamedParts, nearestName, refuseUnknown, unknownName } from './settings/names.ts'
import { show } from './settings/show.ts'
import type { Postings } from './text/postings.ts'
import { appendText, readText, type Text } from './text/prepare-text.ts'

/** A query: its vector, or its vector with its text and its vectors of further views. */
export type Query = Vector | QueryViews

/** A query seen through several views. */
export interface QueryViews {
  vector: Vector
  text?: Text | undefined
  /** The query's vector of each further view. */
  views?: Readonly<Record<string, Vector>> | undefined
}

/** Candidates in the order in which they were retrieved: their vectors, or these with texts and further views. */
export type Candidates = Vectors | CandidateViews

/** Candidates seen through several views. */
export interface CandidateViews {
  vectors: Vectors
  texts?: readonly Text[] | undefined
  /** The candidates' vectors of each further view. */
  views?: Readonly<Record<string, Vectors>> | undefined
}

/** One of a query and its candidates: `'query'`, or a candidate's index, from 0. */
export type Member = 'query' | number

/**
 * A checked context: its vector views by name, the main one first, and its texts' postings.
 * Row 0 is the query's, row i + 1 that of candidate i; only the inside of the package counts rows.
 */
export interface Context {
  /** m. */
  rows: number
  /** How many candidates there are, within the context and beyond it. */
  candidates: number
  views: Map<string, Rows>
  texts: Postings | undefined
}

/** The name of a context's row in messages. */
export function nameOf(row: number): string {
  return row === 0 ? 'the query' : `candidate ${row - 1}`
}

/** A row of a context as callers know it. */
export function memberOf(row: number): Member {
  return row === 0 ? 'query' : row - 1
}

/** The context of a query and the first `limit` of its candidates, whose texts go to `postings`. */
export function contextOf(
  query: Query,
  candidates: Candidates,
  limit: number,
  postings: Postings,
): Context {
  const asked = toQueryViews(query)
  const found = toViews(candidates)
  const vectors = rowsOf(found.vectors, 'candidate', limit)
  const views = new Map([['vectors', withQuery(asked.vector, vectors, 'candidate')]])
  for (const [name, more] of viewsOf(found)) {
    const own = asked.views?.[name]
    if (!own) {
      throw new KithError('BAD_INPUT', `the candidates have a view ${name}, the query has none`)
    }
    const label = `candidate of view ${name}`
    const rows = rowsOf(more, label, limit)
    checkCount(`view ${name}`, rows.total, vectors.total)
    addView(views, name, withQuery(own, rows, label))
  }
  let texts: Postings | undefined
  if (found.texts) {
    if (asked.text === undefined) {
      throw new KithError(
        'BAD_INPUT',
        'the candidates have texts, the query has none: pass { vector, text }',
      )
    }
    texts = append(postings, asked.text, found.texts, vectors)
  }
  return { rows: vectors.count + 1, candidates: vectors.total, views, texts }
}

const queryParts: NamedParts = {
  part: 'property of the query',
  known: ['vector', 'text', 'views'],
  synonyms: { vector: ['embedding', 'embeddings', 'values'], text: ['query', 'content', 'string'] },
}

const candidateParts: NamedParts = {
  part: 'property of the candidates',
  known: ['vectors', 'texts', 'views'],
  synonyms: {
    vectors: ['embedding', 'embeddings', 'values'],
    texts: ['document', 'documents', 'content', 'contents'],
  },
}

/** A query with its views, each property read once; null counts as absent. */
export function toQueryViews(query: Query): QueryViews {
  if (!isObject(query) || !('vector' in query)) {
    refuseMisnamed(query, queryParts)
    return { vector: query as Vector }
  }
  refuseUnknown(query, queryParts)
  const { vector, text, views } = query
  return { vector, text: text ?? undefined, views: views ?? undefined }
}

/** Candidates with their views, each property read once; null counts as absent. */
export function toViews(candidates: Candidates): CandidateViews {
  if (!isObject(candidates) || !('vectors' in candidates)) {
    if (!(isObject(candidates) && 'data' in candidates)) refuseMisnamed(candidates, candidateParts)
    return { vectors: candidates as Vectors }
  }
  refuseUnknown(candidates, candidateParts)
  const { vectors, texts, views } = candidates
  return { vectors, texts: texts ?? undefined, views: views ?? undefined }
}

/** Refuses an object whose vectors have another name than ours, such as `embedding`. */
function refuseMisnamed(given: unknown, parts: NamedParts): void {
  if (!isObject(given) || Array.isArray(given) || ArrayBuffer.isView(given)) return
  const misnamed = Object.keys(given).find((name) => nearestName(name, parts) === parts.known[0])
  if (misnamed !== undefined) throw unknownName(misnamed, parts)
}

function viewsOf({ views = {} }: CandidateViews): [string, Vectors][] {
  if (isObject(views)) return Object.entries(views)
  throw new KithError('BAD_INPUT', `views must be an object of vectors by name, not ${show(views)}`)
}

function addView(views: Map<string, Rows>, name: string, rows: Rows): void {
  if (views.has(name) || name === 'texts') {
    throw new KithError('BAD_INPUT', `a further view cannot be called ${name}`)
  }
  if (rows.dimensions === 0) throw new KithError('BAD_SHAPE', `the vectors of ${name} are empty`)
  views.set(name, rows)
}

/** Clears postings and fills them with those of a context's texts. */
function append(postings: Postings, query: Text, texts: readonly Text[], vectors: Rows): Postings {
  if (!Array.isArray(texts)) throw new KithError('BAD_INPUT', 'texts must be an array')
  checkCount('texts', texts.length, vectors.total)
  postings.clear()
  appendText(postings, checkText(query, 0))
  for (let i = 0; i < vectors.count; i++) appendText(postings, checkText(texts[i], i + 1))
  return postings
}

function checkText(text: unknown, row: number): string | Uint32Array {
  const read = readText(text)
  if (read !== undefined) return read
  throw new KithError('BAD_INPUT', `the text of ${nameOf(row)} must be a string or a prepared text`)
}

function checkCount(name: string, count: number, expected: number): void {
  if (count === expected) return
  throw new KithError('BAD_SHAPE', `${name} has ${count} entries, there are ${expected} vectors`)
}
