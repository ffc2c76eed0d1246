import { KithError } from './error.ts'
import {
  behindQuery,
  isObject,
  type Rows,
  rowsOf,
  type SomeVectors,
  type Vector,
  type Vectors,
  withQuery,
} from './matrix.ts'
import { type NamedParts, nearestName, refuseUnknown, unknownName } from './settings/names.ts'
import { show } from './settings/show.ts'
import type { Postings } from './text/postings.ts'
import { appendText, readText, type Text } from './text/prepare-text.ts'
import { type Tokenizer, type TokenizerSettings, tokenizerOf } from './text/tokenizer.ts'

/** A query: its vector, or its vector with its text and its vectors of further views. */
export type Query = Vector | QueryViews

/** A query with several views. */
export interface QueryViews {
  /** Absent only if no candidate has a vector either; candidates are then ranked by words alone. */
  vector?: Vector | undefined
  text?: Text | undefined
  /** The query's vector of each further view. */
  views?: Readonly<Record<string, Vector>> | undefined
}

/** Candidates in the order in which they were retrieved: their vectors, or these with texts and further views. */
export type Candidates = Vectors | CandidateViews

/** Candidates with several views. */
export interface CandidateViews {
  /** With texts, some or all may be missing: candidates without a vector are ranked by their words. */
  vectors?: SomeVectors | undefined
  texts?: readonly Text[] | undefined
  /**
   * The retriever's scores, which replace the missing similarity to the query for candidates
   * without a vector. Scores of candidates with a vector only scale the others.
   */
  scores?: ArrayLike<number | null | undefined> | undefined
  /** The candidates' vectors of each further view. */
  views?: Readonly<Record<string, Vectors>> | undefined
}

/** The query (`'query'`), or a candidate's index, from 0. */
export type Member = 'query' | number

/**
 * A checked context: its vector views by name, the main one first, and its texts' postings.
 * Row 0 is the query, row i + 1 is candidate i; only the inside of the package counts rows.
 */
export interface Context {
  /** m. */
  rows: number
  /** How many candidates there are, within the context and beyond it. */
  candidates: number
  views: ReadonlyMap<string, Rows>
  texts: Postings | undefined
  /** The rows without a vector, ascending. */
  missing: readonly number[]
  /** The scores that candidates were given, by row; NaN if there is none. */
  scores: Float64Array | undefined
}

/** The name of a context's row in messages. */
export function nameOf(row: number): string {
  return row === 0 ? 'the query' : `candidate ${row - 1}`
}

/** A row of a context as callers know it. */
export function memberOf(row: number): Member {
  return row === 0 ? 'query' : row - 1
}

/** The context of a query and the first `limit` of its candidates, whose terms go to `postings`. */
export function contextOf(
  query: Query,
  candidates: Candidates,
  limit: number,
  postings: Postings,
  settings: TokenizerSettings,
): Context {
  return contextOfViews(toQueryViews(query), toViews(candidates), limit, postings, settings)
}

/** The context of a query and candidates whose properties were read, and perhaps their vectors. */
export function contextOfViews(
  asked: QueryViews,
  found: CandidateViews,
  limit: number,
  postings: Postings,
  settings: TokenizerSettings,
  read?: Rows,
): Context {
  if (found.vectors === undefined && found.texts === undefined) {
    throw new KithError(
      'BAD_INPUT',
      'candidates must be an array of vectors or a matrix { data: Float32Array, rows, dimensions }',
    )
  }
  const vectors = found.vectors ?? Array.from({ length: countTexts(found.texts) }, () => undefined)
  const main = read ?? rowsOf(vectors, 'candidate', limit, found.texts !== undefined)
  const views = new Map<string, Rows>()
  if (asked.vector !== undefined) {
    views.set('vectors', withQuery(asked.vector, main, 'candidate'))
  } else if (main.missing.length < main.count || found.texts === undefined) {
    throw new KithError('BAD_INPUT', 'the query must be a Float32Array or an array of numbers')
  }
  // Without any vector of a candidate, the view says nothing.
  if (main.count > 0 && main.missing.length === main.count) views.delete('vectors')
  if (found.views !== undefined) addViews(views, asked, found.views, limit, main.total)
  let texts: Postings | undefined
  if (found.texts !== undefined) {
    if (asked.text === undefined) {
      throw new KithError(
        'BAD_INPUT',
        'the candidates have texts, but the query has none; pass { vector, text }',
      )
    }
    texts = append(postings, asked.text, found.texts, main, tokenizerOf(settings))
  }
  return {
    rows: main.count + 1,
    candidates: main.total,
    views,
    texts,
    missing: behindQuery(main.missing),
    scores: found.scores === undefined ? undefined : readScores(found.scores, main),
  }
}

/** The context of some of another's candidates, by their index and in this order; their terms go to `postings`. */
export function selectContext(
  context: Context,
  chosen: ArrayLike<number>,
  postings: Postings,
): Context {
  const { texts, scores } = context
  const views = new Map<string, Rows>()
  for (const [name, rows] of context.views) views.set(name, rows.select(chosen))
  if (texts) {
    postings.clear()
    postings.append(texts, 0)
    for (let i = 0; i < chosen.length; i++) postings.append(texts, chosen[i]! + 1)
  }
  const missing = context.missing.length > 0 ? missingOf(context, chosen) : []
  if (missing.length === chosen.length) views.delete('vectors')
  return {
    rows: chosen.length + 1,
    candidates: context.candidates,
    views,
    texts: texts && postings,
    missing,
    scores: scores && Float64Array.of(NaN, ...behindQuery(chosen).map((row) => scores[row]!)),
  }
}

/** The rows without a vector among the chosen candidates. */
function missingOf(context: Context, chosen: ArrayLike<number>): number[] {
  const lacks = new Set(context.missing)
  return behindQuery(chosen).flatMap((row, i) => (lacks.has(row) ? [i + 1] : []))
}

/** Refuses a context in which a candidate has no vector, if a method needs all of them. */
export function requireVectors({ missing }: Context, use: string): void {
  if (missing.length === 0) return
  throw new KithError(
    'BAD_INPUT',
    `${nameOf(missing[0]!)} has no vector; ${use} needs a vector of every candidate`,
  )
}

const queryParts: NamedParts = {
  part: 'property of the query',
  known: ['vector', 'text', 'views'],
  synonyms: { vector: ['embedding', 'embeddings', 'values'], text: ['query', 'content', 'string'] },
}

const candidateParts: NamedParts = {
  part: 'property of the candidates',
  known: ['vectors', 'texts', 'scores', 'views'],
  synonyms: {
    vectors: ['embedding', 'embeddings', 'values'],
    texts: ['document', 'documents', 'content', 'contents'],
  },
}

/** A query with its views, each property read once; null counts as absent. */
export function toQueryViews(query: Query): QueryViews {
  const named =
    isObject(query) && !ArrayBuffer.isView(query) && ('vector' in query || 'text' in query)
  if (named) refuseUnknown(query, queryParts)
  else refuseMisnamed(query, queryParts)
  const { vector, text, views } = named ? query : { vector: query as Vector }
  return { vector: vector ?? undefined, text: text ?? undefined, views: views ?? undefined }
}

/** Candidates with their views, each property read once; null counts as absent. */
export function toViews(candidates: Candidates): CandidateViews {
  const named = isObject(candidates) && ('vectors' in candidates || 'texts' in candidates)
  if (named) refuseUnknown(candidates, candidateParts)
  else if (!(isObject(candidates) && 'data' in candidates)) {
    refuseMisnamed(candidates, candidateParts)
  }
  const { vectors, texts, scores, views }: CandidateViews = named
    ? (candidates as CandidateViews)
    : { vectors: candidates as Vectors }
  return {
    vectors: vectors ?? undefined,
    texts: texts ?? undefined,
    scores: scores ?? undefined,
    views: views ?? undefined,
  }
}

/** Refuses an object whose vectors have another name than ours, such as `embedding`. */
function refuseMisnamed(given: unknown, parts: NamedParts): void {
  if (!isObject(given) || Array.isArray(given) || ArrayBuffer.isView(given)) return
  const misnamed = Object.keys(given).find((name) => nearestName(name, parts) === parts.known[0])
  if (misnamed !== undefined) throw unknownName(misnamed, parts)
}

/** Adds the views beside the main one. */
function addViews(
  views: Map<string, Rows>,
  asked: QueryViews,
  found: Readonly<Record<string, Vectors>>,
  limit: number,
  total: number,
): void {
  if (!isObject(found)) {
    throw new KithError(
      'BAD_INPUT',
      `views must be an object of vectors by name, got ${show(found)}`,
    )
  }
  for (const [name, more] of Object.entries(found)) {
    const own = asked.views?.[name]
    if (!own) {
      throw new KithError(
        'BAD_INPUT',
        `the candidates have the view ${name}, but the query does not; pass views.${name} with the query`,
      )
    }
    const label = `candidate of view ${name}`
    const rows = rowsOf(more, label, limit)
    checkCount(`view ${name}`, rows.total, total)
    addView(views, name, withQuery(own, rows, label))
  }
}

function addView(views: Map<string, Rows>, name: string, rows: Rows): void {
  if (views.has(name) || name === 'texts') {
    throw new KithError('BAD_INPUT', `a view cannot be called ${name}; choose another name`)
  }
  if (rows.dimensions === 0)
    throw new KithError('BAD_SHAPE', `the vectors of view ${name} must not be empty`)
  views.set(name, rows)
}

/** Clears postings and fills them with the postings of a context's texts. */
function append(
  postings: Postings,
  query: Text,
  texts: readonly Text[],
  vectors: Rows,
  tokenizer: Tokenizer,
): Postings {
  countTexts(texts)
  checkCount('texts', texts.length, vectors.total)
  postings.clear()
  appendText(postings, checkText(query, 0, tokenizer), tokenizer)
  for (let i = 0; i < vectors.count; i++) {
    appendText(postings, checkText(texts[i], i + 1, tokenizer), tokenizer)
  }
  return postings
}

/** A text whose properties are read once; throws unless the value is one. */
export function checkText(text: unknown, row: number, tokenizer: Tokenizer) {
  const read = readText(text, tokenizer, () => nameOf(row))
  if (read !== undefined) return read
  throw new KithError(
    'BAD_INPUT',
    `the text of ${nameOf(row)} must be a string, { title, text } or a prepared text`,
  )
}

/** How many texts there are; throws unless they are an array. */
export function countTexts(texts: readonly Text[] | undefined): number {
  if (Array.isArray(texts)) return texts.length
  throw new KithError('BAD_INPUT', 'texts must be an array')
}

/** The scores of candidates by row, each read once; NaN if there is none. */
function readScores(scores: ArrayLike<number | null | undefined>, vectors: Rows): Float64Array {
  if (!Array.isArray(scores) && !ArrayBuffer.isView(scores)) {
    throw new KithError('BAD_INPUT', 'scores must be an array')
  }
  checkCount('scores', scores.length, vectors.total)
  const read = new Float64Array(vectors.count + 1).fill(NaN)
  for (let i = 0; i < vectors.count; i++) {
    const score: unknown = scores[i] ?? undefined
    if (score === undefined) continue
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      throw new KithError(
        'BAD_INPUT',
        `the score of candidate ${i} must be a finite number, got ${show(score)}`,
      )
    }
    read[i + 1] = score
  }
  return read
}

function checkCount(name: string, count: number, expected: number): void {
  if (count === expected) return
  throw new KithError(
    'BAD_SHAPE',
    `${name} must have one entry per vector (${expected}), got ${count}`,
  )
}
