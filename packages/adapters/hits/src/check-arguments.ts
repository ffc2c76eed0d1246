import { KithError } from '@kith/core'
import { type NamedParts, refuseUnknown } from '@kith/core/internal'
import { listOptionNames } from './hit-list.ts'

/** The names of `rerankHits`'s options. */
export const optionParts: NamedParts = {
  part: 'option of rerankHits',
  known: ['topN', 'settings', 'statistics', 'adapter', ...listOptionNames],
  synonyms: {
    topN: ['topK', 'top', 'k', 'limit'],
    statistics: ['termStatistics', 'terms'],
    cutoff: ['minScore', 'scoreThreshold', 'threshold'],
    group: ['groupBy', 'groups'],
    prior: ['boost', 'priors'],
  },
}

/** The names of `rerankFetched`'s options. */
export const fetchedOptionParts: NamedParts = {
  part: 'option of rerankFetched',
  known: ['vectors', ...optionParts.known],
  synonyms: { ...optionParts.synonyms, vectors: ['fetch', 'fetchVectors', 'embeddings'] },
}

/** The names of `lancedbReranker`'s options. */
export const rerankerParts: NamedParts = {
  part: 'option of lancedbReranker',
  known: ['vector', 'text', 'title', 'settings', 'statistics'],
  synonyms: { text: ['column', 'body'], statistics: ['termStatistics', 'terms'] },
}

/** The names of the properties of a list that `mergeHits` takes. */
export const listParts: NamedParts = {
  part: 'property of a list',
  known: ['hits', 'reader'],
  synonyms: { hits: ['points', 'matches', 'rows', 'objects', 'results', 'documents'] },
}

/** Refuses fields that a built-in reader does not have. */
export function checkFields(fields: object, reader: string, known: readonly string[]): void {
  const synonyms = {
    vector: ['embedding', 'vectorField', 'vectorName', 'values'],
    text: ['body', 'content', 'document', 'textField', 'field'],
    title: ['titleField', 'heading', 'name'],
    distance: ['score'],
    id: ['key', 'idField', '_id'],
  }
  refuseUnknown(fields, { part: `option of ${reader}`, known, synonyms })
}

/** Refuses hits that are not an array: usually the whole response of a client, or a promise. */
export function checkHits(hits: unknown): void {
  if (Array.isArray(hits)) {
    if (!Array.isArray(hits[0])) return
    throw new KithError(
      'BAD_INPUT',
      'hits must be an array of hits, got an array of arrays; pass the hits of one query',
    )
  }
  throw new KithError('BAD_INPUT', `hits must be an array, got ${describeNonHits(hits)}`)
}

/**
 * Refuses a reader that was not called, such as `qdrant` for `qdrant()`, and values that are not a
 * reader.
 */
export function checkReader(reader: unknown): void {
  if (typeof reader === 'function') {
    const name = reader.name || 'the reader'
    throw new KithError('BAD_INPUT', `reader must be an object, got a function; call ${name}()`)
  }
  if (typeof reader === 'object' && reader !== null) return
  throw new KithError('BAD_INPUT', 'reader must be an object; pass a reader such as qdrant()')
}

/** Refuses a reader that cannot read vectors, for hits with vectors. */
export function checkVectorReader(reader: unknown): void {
  if (typeof reader === 'function') checkReader(reader)
  if (typeof (reader as { vector?: unknown } | null | undefined)?.vector === 'function') return
  throw new KithError(
    'BAD_INPUT',
    'reader must have a function vector; pass a reader such as qdrant(), or { vector: (hit) => hit.embedding }',
  )
}

/** The names under which clients return their lists of hits, in the order of the search. */
const lists = ['points', 'matches', 'hits', 'objects', 'rows', 'result', 'results', 'data', 'body']

function describeNonHits(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (typeof (value as { then?: unknown }).then === 'function') return 'a promise; await it'
  const path = pathToList(value, 2)
  if (path === undefined) return 'an object; pass the list of hits inside it'
  return `a whole response; pass its ${path}`
}

/**
 * Returns the path of the list in a response, such as `hits.hits`; undefined if there is no list.
 */
function pathToList(value: object, depth: number): string | undefined {
  for (const name of lists) {
    const part = (value as Record<string, unknown>)[name]
    if (Array.isArray(part)) return name
    if (typeof part === 'function' && name === 'rows') return 'rows()[0]'
    if (depth === 0 || typeof part !== 'object' || part === null) continue
    const inner = pathToList(part, depth - 1)
    if (inner !== undefined) return `${name}.${inner}`
  }
  return undefined
}
