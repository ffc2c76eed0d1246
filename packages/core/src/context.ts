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
import { Postings } from './postings.ts'
import { appendText, isText, type Text } from './prepare-text.ts'

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

/** The context of a query and the first `limit` of its candidates. */
export function contextOf(query: Query, candidates: Candidates, limit: number): Context {
  const asked: QueryViews =
    isObject(query) && 'vector' in query ? query : { vector: query as Vector }
  const found = toViews(candidates)
  const vectors = rowsOf(found.vectors, 'candidate', limit)
  const views = new Map([['vectors', withQuery(asked.vector, vectors, 'candidate')]])
  for (const [name, more] of Object.entries(found.views ?? {})) {
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
    texts = postingsOf(found.texts, 'candidate', vectors, asked.text)
  }
  const nameOf = (row: number): string => (row === 0 ? 'the query' : `candidate ${row - 1}`)
  return { rows: vectors.count + 1, candidates: vectors.total, views, texts, nameOf }
}

/** A context that is given whole, its row 0 the query. */
export function contextOfRows(context: RankingContext): Context {
  const given = toViews(context)
  const vectors = rowsOf(given.vectors, 'row')
  if (vectors.count === 0) {
    throw new KithError('BAD_SHAPE', 'the context has no rows; row 0 is the query')
  }
  const views = new Map<string, Rows>()
  addView(views, 'vectors', vectors)
  for (const [name, more] of Object.entries(given.views ?? {})) {
    const rows = rowsOf(more, `row of view ${name}`)
    checkCount(`view ${name}`, rows.total, vectors.total)
    addView(views, name, rows)
  }
  const texts = given.texts && postingsOf(given.texts, 'row', vectors)
  const nameOf = (row: number): string => `row ${row}`
  return { rows: vectors.count, candidates: vectors.count - 1, views, texts, nameOf }
}

/** Whether candidates come with texts. */
export function hasTexts(candidates: Candidates): candidates is CandidateViews {
  return isObject(candidates) && 'texts' in candidates && candidates.texts !== undefined
}

/** Candidates by their vectors alone. */
export function withoutTexts(candidates: Candidates): Candidates {
  return hasTexts(candidates) ? { ...candidates, texts: undefined } : candidates
}

function toViews(candidates: Candidates): CandidateViews {
  return isObject(candidates) && 'vectors' in candidates
    ? (candidates as CandidateViews)
    : { vectors: candidates as Vectors }
}

function addView(views: Map<string, Rows>, name: string, rows: Rows): void {
  if (views.has(name) || name === 'texts') {
    throw new KithError('BAD_INPUT', `a further view cannot be called ${name}`)
  }
  if (rows.dimensions === 0) throw new KithError('BAD_SHAPE', `the vectors of ${name} are empty`)
  views.set(name, rows)
}

/** Contexts are worked on one after the other: they share the room for their postings. */
const shared = new Postings()

function postingsOf(texts: readonly Text[], name: string, vectors: Rows, query?: Text): Postings {
  if (!Array.isArray(texts)) throw new KithError('BAD_INPUT', 'texts must be an array')
  checkCount('texts', texts.length, vectors.total)
  shared.clear()
  if (query !== undefined) append(query, 'the query')
  for (let i = 0; i < vectors.count; i++) append(texts[i], name, i)
  return shared
}

function append(text: Text | undefined, name: string, index?: number): void {
  if (!isText(text)) {
    const whose = index === undefined ? name : `${name} ${index}`
    throw new KithError('BAD_INPUT', `the text of ${whose} must be a string or a prepared text`)
  }
  appendText(shared, text)
}

function checkCount(name: string, count: number, expected: number): void {
  if (count === expected) return
  throw new KithError('BAD_SHAPE', `${name} has ${count} entries, there are ${expected} vectors`)
}
