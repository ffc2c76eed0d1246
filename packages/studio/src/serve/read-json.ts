import { randomBytes } from 'node:crypto'
import { readNumberArray } from './number-array.ts'
import { Problem } from './problem.ts'

/** JSON whose arrays of numbers were read on the way, and stand in `value` as names. */
export interface Json {
  value: unknown
  /** The arrays by name. */
  arrays: ReadonlyMap<string, Float32Array>
}

/** Shorter arrays are left to `JSON.parse`. */
const SHORTEST = 8
const QUOTE = 34
const BACKSLASH = 92
const OPEN = 91

/** Names that no client can guess, so that a text never stands for an array. */
const prefix = randomBytes(16).toString('hex')

/**
 * Parses JSON. Embeddings as arrays of numbers are most of a request's bytes, and
 * `JSON.parse` takes milliseconds for them; here they are read straight into float32.
 */
export function readJson(bytes: Buffer): Json {
  const arrays = new Map<string, Float32Array>()
  const parts: string[] = []
  let kept = 0
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfString(bytes, at + 1)
    else if (byte === OPEN && startsNumber(bytes[at + 1]!)) {
      const found = readNumberArray(bytes, at + 1)
      if (found && found.numbers.length >= SHORTEST) {
        const name = `${prefix}${arrays.size}`
        arrays.set(name, found.numbers)
        parts.push(bytes.toString('utf8', kept, at), '"', name, '"')
        kept = found.end
      }
      at = found ? found.end : at + 1
    } else at++
  }
  parts.push(bytes.toString('utf8', kept))
  try {
    return { value: JSON.parse(parts.join('')), arrays }
  } catch (error) {
    // The language's message quotes the text, in which names may stand for arrays.
    if (!(error instanceof SyntaxError)) throw error
    throw new Problem(400, 'the body is not JSON')
  }
}

/** The position behind the quote that ends a string. */
function endOfString(bytes: Buffer, start: number): number {
  // Long strings are mostly base64 or plain: one search finds their end.
  const end = bytes.indexOf(QUOTE, start)
  if (end < 0) return bytes.length
  if (bytes[end - 1] !== BACKSLASH) return end + 1
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at + 1
}

/** A minus or a digit, or white space before one. */
function startsNumber(byte: number): boolean {
  return byte === 45 || (byte >= 48 && byte <= 57) || byte === 32 || byte === 10 || byte === 13
}
