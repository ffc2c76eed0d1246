import { KithError, type Matrix } from '@kith/core'
import { choice, range } from '@kith/core/internal'
import type { StoreDocument, StoreDocuments, StoreSearchOptions } from './store.ts'

/** Maximum length of an id in UTF-8 bytes; every store can index ids of this length. */
const LONGEST_ID = 1000

/** Approximate count of vector numbers in a batch of documents. */
const BATCH_NUMBERS = 2 ** 21

/** The largest finite number in half precision. */
const LARGEST_HALF = 65504

/** Rules for documents that are added to a store. */
interface DocumentRules {
  /** The length of the vectors; undefined takes the length of the first document's vector. */
  dimensions: number | undefined
  type: 'f16' | 'f32'
}

/** Checks documents one by one and yields them in batches; throws if a batch repeats an id. */
export async function* checkedBatches(
  documents: StoreDocuments,
  rules: DocumentRules,
): AsyncGenerator<StoreDocument[]> {
  let { dimensions } = rules
  let batch: StoreDocument[] = []
  let ids = new Set<string>()
  for await (const document of documents) {
    dimensions ??= document.vector.length
    checkDocument(document, dimensions, rules.type)
    if (ids.has(document.id)) throw twice(document.id)
    ids.add(document.id)
    batch.push(document)
    if (batch.length * dimensions < BATCH_NUMBERS) continue
    yield batch
    batch = []
    ids = new Set()
  }
  if (batch.length > 0) yield batch
}

/** Creates the error for an id that already exists. */
export function twice(id: string): KithError {
  return new KithError('BAD_INPUT', `document ${JSON.stringify(id)} already exists`)
}

function checkDocument(document: StoreDocument, dimensions: number, type: string): void {
  const { id, vector } = document
  checkId(id)
  const name = `document ${JSON.stringify(id)}`
  for (const part of ['title', 'text'] as const) {
    const flaw = unstorable(document[part] ?? '')
    if (flaw) throw new KithError('BAD_INPUT', `${name}: the ${part} ${flaw}`)
  }
  if (vector.length !== dimensions || dimensions < 1) {
    throw new KithError(
      'BAD_SHAPE',
      `${name} has ${vector.length} dimensions, but the store has ${dimensions}`,
    )
  }
  const limit = type === 'f16' ? LARGEST_HALF : Number.MAX_VALUE
  const at = vector.findIndex((value) => !(Math.abs(value) <= limit))
  if (at < 0) return
  const why = Number.isFinite(vector[at]) ? 'too large for half precision' : 'not finite'
  throw new KithError('BAD_VECTOR', `${name}, column ${at} is ${vector[at]}: ${why}`)
}

/**
 * Throws unless an id is one line of valid text, which every store, file and query language keeps.
 */
function checkId(id: string): void {
  const bytes = Buffer.byteLength(id)
  if (bytes === 0 || bytes > LONGEST_ID) {
    throw new KithError('BAD_INPUT', `an id must have 1 to ${LONGEST_ID} bytes, got ${bytes}`)
  }
  // A lone surrogate would be read back as another character.
  if (/\p{Cc}/u.test(id) || Buffer.from(id).toString() !== id) {
    throw new KithError(
      'BAD_INPUT',
      `id ${JSON.stringify(id)} contains control characters or invalid Unicode`,
    )
  }
}

/** Checks the queries and options of a search; every store uses these checks. */
export function checkSearch(
  queries: Matrix,
  { top, metric = 'dot' }: StoreSearchOptions,
  dimensions: number | undefined,
): void {
  range({ from: 1, integer: true })('top', top)
  choice('dot', 'cosine')('metric', metric)
  if (dimensions !== undefined && queries.rows > 0 && queries.dimensions !== dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `queries have ${queries.dimensions} dimensions, but the store has ${dimensions}`,
    )
  }
  const used = queries.data.subarray(0, queries.rows * queries.dimensions)
  const at = used.findIndex((value) => !Number.isFinite(value))
  if (at >= 0) {
    const [row, column] = [Math.floor(at / queries.dimensions), at % queries.dimensions]
    throw new KithError(
      'BAD_VECTOR',
      `query row ${row}, column ${column} is ${used[at]}; vectors must be finite`,
    )
  }
}

/**
 * Returns why a database cannot store a text, or undefined if it can: PostgreSQL has no character
 * U+0000, and a lone surrogate would be read back as another character.
 */
export function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'contains the character U+0000'
  if (/\p{Surrogate}/u.test(text)) return 'contains half of a surrogate pair (invalid Unicode)'
  return undefined
}

/** Throws if a database cannot store a text; the message begins with `what`. */
export function checkStorable(what: string, text: string): void {
  const flaw = unstorable(text)
  if (flaw) throw new KithError('BAD_INPUT', `${what} ${flaw}, which PostgreSQL cannot store`)
}

/** Removes duplicate ids, and ids that no store can hold. */
export function storableOf(ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => unstorable(id) === undefined)
}
