import { KithError } from '@kith/core'
import type { TextEntry } from '@kith/ir'

/** A query of a batch with all inputs of its job, except the documents in the store. */
export interface BatchQuery {
  query: string
  /** The query's candidates, best first. */
  ids: readonly string[]
  /** The query's embedding; undefined if it has none. */
  vector: Float32Array | undefined
  /** The candidates' scores, if they are needed for keeping the old ranking. */
  scores?: Float64Array | undefined
  /** The query's text, if words are scored or written. */
  text?: TextEntry | undefined
  /** The query's ground truth with grades, for labels. */
  truth?: readonly (readonly [id: string, grade: number])[] | undefined
}

interface Header extends Pick<BatchQuery, 'ids' | 'text' | 'truth'> {
  dimensions: number
}

/**
 * Encodes an item, without its query's id, as bytes: the length of the header, the header as JSON,
 * then the numbers.
 */
export function encodeItem({ ids, vector, scores, text, truth }: BatchQuery): Buffer {
  const header: Header = { ids, text, truth, dimensions: vector?.length ?? 0 }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(json.length)
  return Buffer.concat([length, json, bytesOf(vector), bytesOf(scores)])
}

/** Decodes an item; damaged bytes throw an error that names the query. */
export function decodeItem(query: string, body: Uint8Array): BatchQuery {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.length < 4 ? 0 : 4 + bytes.readUInt32LE(0)
  const header = start <= bytes.length ? readHeader(bytes.subarray(4, start)) : undefined
  if (!header) throw damaged(query, 'invalid header')
  const { ids, text, truth, dimensions } = header
  const end = start + dimensions * 4
  const rest = bytes.length - end
  if (rest !== 0 && rest !== ids.length * 8) {
    throw damaged(
      query,
      `expected ${dimensions} numbers and ${ids.length} scores, got ${bytes.length} bytes`,
    )
  }
  return {
    query,
    ids,
    text,
    truth,
    vector: dimensions > 0 ? new Float32Array(copyOf(bytes, start, end)) : undefined,
    scores: rest > 0 ? new Float64Array(copyOf(bytes, end, bytes.length)) : undefined,
  }
}

/** Creates the error for damaged data of a query in the database. */
export function damaged(query: string, problem: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `query ${query}: its entry in the database is damaged: ${problem}; remove the batch and submit it again`,
  )
}

/** Parses the header before the numbers; undefined if `encodeItem` cannot have written it. */
function readHeader(bytes: Buffer): Header | undefined {
  let header: Partial<Record<keyof Header, unknown>> | null
  try {
    header = JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
  const { ids, text, truth = [], dimensions } = header ?? {}
  const fits =
    Array.isArray(ids) &&
    ids.every((id) => typeof id === 'string') &&
    Number.isSafeInteger(dimensions) &&
    (dimensions as number) >= 0 &&
    (text === undefined || isText(text)) &&
    Array.isArray(truth) &&
    truth.every((pair) => typeof pair?.[0] === 'string' && Number.isFinite(pair[1]))
  return fits ? (header as Header) : undefined
}

function isText(value: unknown): value is TextEntry {
  const { text, title = '' } = (value ?? {}) as Partial<TextEntry>
  return typeof text === 'string' && typeof title === 'string'
}

/** Returns the bytes of an array of numbers. */
function bytesOf(numbers: Float32Array | Float64Array | undefined): Buffer {
  if (!numbers) return Buffer.alloc(0)
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

/** Copies a part of some bytes to a new, aligned buffer, for reading numbers. */
function copyOf(bytes: Uint8Array, from: number, to: number): ArrayBuffer {
  return new Uint8Array(bytes.subarray(from, to)).buffer
}
