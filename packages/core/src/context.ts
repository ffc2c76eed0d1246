import { KithError } from './error.ts'
import {
  isObject,
  type Matrix,
  type Rows,
  rowsOf,
  type Vector,
  type Vectors,
  withQuery,
} from './matrix.ts'
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

/** A ranking context whose row 0 is the query: a matrix, or one with texts and further views. */
export type RankingContext = Matrix | CandidateViews

/** A checked context: its vector views by name, the main one first, and its texts' postings. */
export interface Context {
  /** m. */
  rows: number
  /** How many candidates there are, within the context and beyond it. */
  candidates: number
  views: Map<string, Rows>
  texts: Postings | undefined
  /** What messages call a row. */
  nameOf(row: number): string
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
    texts = append(postings, found.texts, 'candidate', vectors, asked.text)
  }
  const nameOf = (row: number): string => (row === 0 ? 'the query' : `candidate ${row - 1}`)
  return { rows: vectors.count + 1, candidates: vectors.total, views, texts, nameOf }
}

/** A context that is given whole, its row 0 the query; its texts go to `postings`. */
export function contextOfRows(context: RankingContext, postings: Postings): Context {
  const given = toViews(context)
  const vectors = rowsOf(given.vectors, 'row')
  if (vectors.count === 0) {
    throw new KithError('BAD_SHAPE', 'the context has no rows; row 0 is the query')
  }
  const views = new Map<string, Rows>()
  addView(views, 'vectors', vectors)
  for (const [name, more] of viewsOf(given)) {
    const rows = rowsOf(more, `row of view ${name}`)
    checkCount(`view ${name}`, rows.total, vectors.total)
    addView(views, name, rows)
  }
  const texts = given.texts && append(postings, given.texts, 'row', vectors)
  const nameOf = (row: number): string => `row ${row}`
  return { rows: vectors.count, candidates: vectors.count - 1, views, texts, nameOf }
}

/** A query with its views, each property read once; what is null is not there. */
export function toQueryViews(query: Query): QueryViews {
  if (!isObject(query) || !('vector' in query)) return { vector: query as Vector }
  const { vector, text, views } = query
  return { vector, text: text ?? undefined, views: views ?? undefined }
}

/** Candidates with their views, each property read once; what is null is not there. */
export function toViews(candidates: Candidates | RankingContext): CandidateViews {
  if (!isObject(candidates) || !('vectors' in candidates)) {
    return { vectors: candidates as Vectors }
  }
  const { vectors, texts, views } = candidates
  return { vectors, texts: texts ?? undefined, views: views ?? undefined }
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
function append(
  postings: Postings,
  texts: readonly Text[],
  name: string,
  vectors: Rows,
  query?: Text,
): Postings {
  if (!Array.isArray(texts)) throw new KithError('BAD_INPUT', 'texts must be an array')
  checkCount('texts', texts.length, vectors.total)
  postings.clear()
  if (query !== undefined) appendText(postings, checkText(query, 'the query'))
  for (let i = 0; i < vectors.count; i++) {
    appendText(postings, checkText(texts[i], name, i))
  }
  return postings
}

function checkText(text: unknown, name: string, index?: number): string | Uint32Array {
  const read = readText(text)
  if (read !== undefined) return read
  const whose = index === undefined ? name : `${name} ${index}`
  throw new KithError('BAD_INPUT', `the text of ${whose} must be a string or a prepared text`)
}

function checkCount(name: string, count: number, expected: number): void {
  if (count === expected) return
  throw new KithError('BAD_SHAPE', `${name} has ${count} entries, there are ${expected} vectors`)
}
