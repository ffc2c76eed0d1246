import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { freeMemory } from './free-memory.ts'
import { NumberReader } from './number-reader.ts'
import { overloaded, Problem } from './problem.ts'
import { RequestVectors } from './request-vectors.ts'

/** Maximum size in bytes of all bodies in memory at the same time. */
const ALL_BODIES = 256 * 2 ** 20
/** Bytes of memory that a chunk takes besides its own. */
const CHUNK = 400

/** Reads the bodies of requests, with a limit per body and a limit for all bodies together. */
export class BodyReader {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Reads a body and passes it on; the memory of the body counts until `handle` is done. */
  async use<T>(incoming: IncomingMessage, handle: (body: Json) => Promise<T>): Promise<T> {
    const announced = Number(incoming.headers['content-length'] ?? 0)
    if (announced > this.#most) throw this.#tooLarge()
    let length = 0
    let held = 0
    const count = (bytes: number): void => {
      length += bytes
      held += bytes + CHUNK
      this.#held += bytes + CHUNK
      if (length > this.#most) throw this.#tooLarge()
      // Bytes count as they arrive: a request that only announces a large body does not block
      // others.
      if (this.#held > ALL_BODIES)
        throw overloaded('too many large requests at the same time; retry later')
    }
    try {
      const chunks = await read(incoming, count)
      const numbers = new NumberReader(chunks)
      freeMemory(chunks)
      const json = readJson(numbers)
      const answer = await handle(json)
      // After an error, a search may still read the vectors.
      json.vectors.free()
      return answer
    } finally {
      this.#held -= held
    }
  }

  #tooLarge(): Problem {
    const limit = `${this.#most} bytes`
    return new Problem(413, `the body is larger than ${limit}; send fewer documents per request`)
  }
}

function read(incoming: IncomingMessage, count: (bytes: number) => void): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => {
      try {
        count(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        incoming.removeAllListeners('data')
        incoming.pause()
        reject(error)
      }
    })
    incoming.on('end', () => resolve(chunks))
    incoming.on('error', () =>
      reject(new Problem(400, 'the request ended before its body was complete')),
    )
  })
}

/** JSON whose embeddings were read during parsing; names replace them in `value`. */
export interface Json {
  value: unknown
  vectors: RequestVectors
}

/** Arrays with fewer numbers are left to `JSON.parse`. */
const SHORTEST = 8
const QUOTE = 34
const BACKSLASH = 92
const OPEN = 91
const COLON = 58

/** The name of the field whose texts are base64. */
const FIELD = Buffer.from('embedding')
/**
 * Fields whose numbers are not an embedding: in float32, two large group ids could become equal.
 */
const EXACT = ['group', 'prior'].map((name) => Buffer.from(name))

/**
 * Parses JSON. Embeddings make up most of a request's bytes: `JSON.parse` takes milliseconds for
 * arrays of numbers and copies base64 twice. This function reads both directly into float32.
 */
export function readJson(numbers: NumberReader): Json {
  const { bytes } = numbers
  // Decoding would replace invalid bytes by U+FFFD, and rank a text that the client did not send.
  if (!isUtf8(bytes)) throw new Problem(400, 'the body is not UTF-8; send JSON in UTF-8')
  const vectors = new RequestVectors()
  const parts: string[] = []
  let kept = 0
  let at = 0
  const replace = (start: number, end: number, vector: Float32Array): void => {
    parts.push(bytes.toString('utf8', kept, start), '"', vectors.name(vector), '"')
    kept = end
  }
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      const start = at
      at = endOfString(bytes, start + 1)
      if (EXACT.some((name) => isField(bytes, start, at, name))) {
        const value = valueAt(bytes, at)
        if (bytes[value] === OPEN) at = value + 1
        continue
      }
      if (!isField(bytes, start, at, FIELD)) continue
      const value = valueAt(bytes, at)
      if (bytes[value] !== QUOTE) continue
      at = endOfString(bytes, value + 1)
      // Strings that are not base64, such as a text with escapes, are left to `JSON.parse`.
      const vector = vectors.fromBase64(bytes.toString('latin1', value + 1, at - 1))
      if (vector) replace(value, at, vector)
    } else if (byte === OPEN && startsNumber(bytes[at + 1]!)) {
      const found = numbers.read(at + 1)
      if (found && found.numbers.length >= SHORTEST) {
        replace(at, found.end, vectors.copy(found.numbers))
      }
      at = found ? found.end : at + 1
    } else at++
  }
  parts.push(bytes.toString('utf8', kept))
  try {
    return { value: JSON.parse(parts.join('')), vectors }
  } catch (error) {
    // The message of `JSON.parse` quotes the text, in which names may have replaced vectors.
    if (!(error instanceof SyntaxError)) throw error
    throw new Problem(400, 'the body is not JSON')
  }
}

/** Returns the position after the quote that ends a string. */
function endOfString(bytes: Buffer, start: number): number {
  // Long strings are mostly base64 or plain text: one search finds their end.
  const end = bytes.indexOf(QUOTE, start)
  if (end < 0) return bytes.length
  if (bytes[end - 1] !== BACKSLASH) return end + 1
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at + 1
}

/** Returns whether the string between two positions, including its quotes, is a field's name. */
function isField(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length + 2) return false
  for (let i = 0; i < name.length; i++) if (bytes[start + 1 + i] !== name[i]) return false
  return true
}

/** Returns the position of the value after a field's name. */
function valueAt(bytes: Buffer, end: number): number {
  const colon = skipSpace(bytes, end)
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : end
}

/** Returns whether a byte is a minus sign or a digit, or white space that may precede one. */
function startsNumber(byte: number): boolean {
  return byte === 45 || (byte >= 48 && byte <= 57) || byte === 32 || byte === 10 || byte === 13
}

/** Returns the position after white space. */
function skipSpace(bytes: Buffer, at: number): number {
  let byte = bytes[at]
  while (byte === 32 || byte === 10 || byte === 13 || byte === 9) byte = bytes[++at]
  return at
}
