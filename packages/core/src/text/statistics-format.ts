import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { checkStatistics, type TermStatistics } from './term-statistics.ts'
import { isTokenizerName } from './tokenizer.ts'

/** The first bytes of a file of term statistics. */
const MAGIC = 'KITHTRM1'

/** Magic, tokenizer, documents, length, terms in all; eight bytes each. */
const HEADER = 40

/** Tokenizers that the header has by number; the name of any other is behind the terms, and the header has minus its length. */
const numbered: readonly string[] = ['english', 'plural', 'prefix5', 'none', 'function']

/**
 * Writes term statistics as bytes, 12 per term.
 *
 * ```ts
 * const bytes = termStatisticsToBytes(termStatistics(texts))
 * ```
 */
export function termStatisticsToBytes(statistics: TermStatistics): Uint8Array<ArrayBuffer> {
  const { tokenizer, documents, length, hashes, frequencies } = checkStatistics(statistics)
  const number = numbered.indexOf(tokenizer)
  const name = new TextEncoder().encode(number < 0 ? tokenizer : '')
  const bytes = new Uint8Array(HEADER + hashes.length * 12 + name.length)
  bytes.set(new TextEncoder().encode(MAGIC))
  new Float64Array(bytes.buffer, 8, 4).set([
    number < 0 ? -name.length : number,
    documents,
    length,
    hashes.length,
  ])
  bytes.set(name, HEADER + hashes.length * 12)
  new Float64Array(bytes.buffer, HEADER, hashes.length).set(hashes)
  new Uint32Array(bytes.buffer, HEADER + hashes.length * 8, hashes.length).set(frequencies)
  return bytes
}

/**
 * Reads term statistics from the bytes of `termStatisticsToBytes`; throws if they are damaged.
 *
 * ```ts
 * const statistics = termStatisticsFromBytes(bytes)
 * ```
 */
export function termStatisticsFromBytes(bytes: Uint8Array): TermStatistics {
  if (!(bytes instanceof Uint8Array && ArrayBuffer.isView(bytes))) {
    throw new KithError('BAD_INPUT', 'the bytes of term statistics must be a Uint8Array')
  }
  // A copy: a part of a larger buffer may start at any byte, numbers may not. A Buffer's own slice
  // would be no copy.
  const own = new Uint8Array(bytes)
  if (new TextDecoder('latin1').decode(own.subarray(0, 8)) !== MAGIC || own.length < HEADER) {
    throw new KithError('BAD_FILE', 'these are not the bytes of term statistics')
  }
  const [number, documents, length, count] = new Float64Array(own.buffer, 8, 4)
  const end = HEADER + count! * 12
  const expected = end + (isCount(-number!) ? -number! : 0)
  if (!isCount(count) || own.length !== expected) {
    throw new KithError(
      'BAD_FILE',
      `the term statistics are damaged: expected ${expected} bytes, got ${own.length}`,
    )
  }
  const tokenizer = number! < 0 ? new TextDecoder().decode(own.subarray(end)) : numbered[number!]
  return checked({
    tokenizer: tokenizer as TermStatistics['tokenizer'],
    documents: documents!,
    length: length!,
    hashes: new Float64Array(own.buffer, HEADER, count),
    frequencies: new Uint32Array(own.buffer, HEADER + count! * 8, count),
  })
}

/**
 * Turns term statistics into an object for `JSON.stringify`.
 *
 * ```ts
 * const json = JSON.stringify(termStatisticsToJson(statistics))
 * ```
 */
export function termStatisticsToJson(statistics: TermStatistics): object {
  const { hashes, frequencies, ...rest } = checkStatistics(statistics)
  return { ...rest, hashes: Array.from(hashes), frequencies: Array.from(frequencies) }
}

/**
 * Reads term statistics from the parsed JSON of `termStatisticsToJson`; throws if they are damaged.
 *
 * ```ts
 * const statistics = termStatisticsFromJson(JSON.parse(text))
 * ```
 */
export function termStatisticsFromJson(value: unknown): TermStatistics {
  const json = (isObject(value) ? value : {}) as Record<string, unknown>
  const { tokenizer, documents, length, hashes, frequencies } = json
  if (!Array.isArray(hashes) || !Array.isArray(frequencies)) {
    throw new KithError('BAD_FILE', 'this is not the JSON of term statistics')
  }
  return checked({
    tokenizer: tokenizer as TermStatistics['tokenizer'],
    documents: documents as number,
    length: length as number,
    hashes: Float64Array.from(hashes, numberOf),
    // A term that no document has is refused.
    frequencies: Uint32Array.from(frequencies, (value) => (isFrequency(value) ? value : 0)),
  })
}

/** A number; NaN for any other value, which the check then refuses. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : NaN
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0)
}

/** Whether a Uint32Array holds it. */
function isFrequency(value: unknown): boolean {
  return isCount(value) && (value as number) < 2 ** 32
}

/** Refuses statistics that no texts can have. */
function checked(statistics: TermStatistics): TermStatistics {
  const { tokenizer, documents, length, hashes, frequencies } = statistics
  const fits =
    (tokenizer === 'function' || isTokenizerName(tokenizer)) &&
    isCount(documents) &&
    isCount(length) &&
    hashes.length === frequencies.length &&
    hashes.every(
      (hash, i) => Number.isSafeInteger(hash) && hash > (i === 0 ? 0 : hashes[i - 1]!),
    ) &&
    frequencies.every((frequency) => frequency > 0 && frequency <= documents)
  if (fits) return statistics
  throw new KithError(
    'BAD_FILE',
    'the term statistics are damaged: counts and frequencies contradict each other',
  )
}
