import { copyShort, isSpace, MINUS, NEWLINE, POINT, POWERS, sameBytes, ZERO } from './bytes'

const COMMENT: u8 = 35
/** The largest whole number up to which a double represents all. */
const EXACT: u64 = 9007199254740992
/** Digits that a 64-bit number holds. */
const DIGITS: i32 = 18
const LARGEST_POWER: i32 = 22

/** The number of bytes that were read. */
let bytes: usize = 0
/** The number of lines that were read, with blank lines and comments. */
let lines: u32 = 0
/** The number of times that the query changed. */
let groups: u32 = 0
/** The number of scores that this module does not decide. */
let openScores: u32 = 0

export function byteCount(): usize {
  return bytes
}

export function lineCount(): u32 {
  return lines
}

export function groupCount(): u32 {
  return groups
}

export function openScoreCount(): u32 {
  return openScores
}

/**
 * Reads lines of a TREC run (`query Q0 document rank score tag`) or an MS MARCO run (`query document
 * rank`) to columns, until the lines or the room for rows end, or before a line with too few fields.
 * Each column has a number per row; `starts` has one more.
 *
 * @param end The end of the lines; the byte there must be a line break.
 * @param most The room for rows.
 * @param ids The bytes of the documents' ids, one after the other.
 * @param starts Where each id starts in `ids`.
 * @param scores The scores; NaN for a number that this module does not decide.
 * @param fields Where the number of each score starts and ends, from `from` on.
 * @param places The number of each row's line; `before` lines come before the first one.
 * @param changes Each change of the query: its first row, and where its id starts and ends.
 * @returns The number of rows.
 */
export function splitRows(
  from: usize,
  end: usize,
  isTrec: i32,
  most: u32,
  ids: usize,
  starts: usize,
  scores: usize,
  fields: usize,
  places: usize,
  before: u32,
  changes: usize,
): u32 {
  let rows: u32 = 0
  let id = ids
  let query: usize = 0
  let queryLength: usize = 0
  lines = 0
  groups = 0
  openScores = 0
  store<u32>(starts, 0)
  let line = from
  while (line < end && rows < most) {
    let at = skipSpace(line)
    const first = load<u8>(at)
    if (first == NEWLINE || (isTrec && first == COMMENT)) {
      line = lineEnd(at) + 1
      lines++
      continue
    }
    const queryStart = at
    at = fieldEnd(at)
    const length = at - queryStart
    if (isTrec) at = fieldEnd(skipSpace(at))
    const document = skipSpace(at)
    const documentEnd = fieldEnd(document)
    at = documentEnd
    if (isTrec) at = fieldEnd(skipSpace(at))
    const number = skipSpace(at)
    const numberEnd = fieldEnd(number)
    at = skipSpace(numberEnd)
    // A TREC line needs a tag, and an MS MARCO line ends here.
    if (number == numberEnd || (load<u8>(at) == NEWLINE) == <bool>isTrec) break
    if (length != queryLength || !sameBytes(query, queryStart, length)) {
      query = queryStart
      queryLength = length
      const change = changes + <usize>groups * 12
      groups++
      store<u32>(change, rows)
      store<u32>(change, <u32>(queryStart - from), 4)
      store<u32>(change, <u32>(queryStart - from + length), 8)
    }
    const row = <usize>rows
    id = copyShort(document, documentEnd, id)
    store<u32>(starts + (row << 2), <u32>(id - ids), 4)
    const score = isTrec ? numberOf(number, numberEnd) : rankOf(number, numberEnd)
    store<f64>(scores + (row << 3), score)
    if (F64.isNaN(score)) openScores++
    store<u32>(fields + (row << 3), <u32>(number - from))
    store<u32>(fields + (row << 3), <u32>(numberEnd - from), 4)
    store<u32>(places + (row << 2), before + lines + 1)
    rows++
    line = lineEnd(at) + 1
    lines++
  }
  bytes = line - from
  return rows
}

/**
 * Finds the lines whose query is not the query of the line before, until the lines or the room for
 * changes end. Blank lines have no query, nor have comments of TREC runs.
 *
 * @param end The end of the lines; the byte there must be a line break.
 * @param query The bytes of the query of the line before; `length` is 0 if there is none.
 * @param changes Four numbers for each change: where the line starts, where its query starts and
 * ends, from `from` on, and the number of lines before it.
 * @param most The room for changes.
 * @returns The number of changes.
 */
export function findQueries(
  from: usize,
  end: usize,
  query: usize,
  length: usize,
  isTrec: i32,
  changes: usize,
  most: u32,
): u32 {
  let count: u32 = 0
  let line = from
  lines = 0
  while (line < end) {
    // Nearly all lines have the query of the line before.
    if (length == 0 || !isSpace(load<u8>(line + length)) || !sameBytes(query, line, length)) {
      const start = skipSpace(line)
      const first = load<u8>(start)
      if (first != NEWLINE && !(isTrec && first == COMMENT)) {
        const stop = fieldEnd(start)
        if (stop - start != length || !sameBytes(query, start, length)) {
          if (count == most) break
          const change = changes + ((<usize>count) << 4)
          store<u32>(change, <u32>(line - from))
          store<u32>(change, <u32>(start - from), 4)
          store<u32>(change, <u32>(stop - from), 8)
          store<u32>(change, lines, 12)
          query = start
          length = stop - start
          count++
        }
      }
    }
    line = lineEnd(line) + 1
    lines++
  }
  bytes = line - from
  return count
}

/** Returns the start of the next field, or the end of the line. */
function skipSpace(at: usize): usize {
  let byte = load<u8>(at)
  while (isSpace(byte) && byte != NEWLINE) byte = load<u8>(++at)
  return at
}

function fieldEnd(at: usize): usize {
  while (!isSpace(load<u8>(at))) at++
  return at
}

function lineEnd(at: usize): usize {
  while (load<u8>(at) != NEWLINE) at++
  return at
}

/** Returns the score of a rank: the negative rank; NaN if it is no whole number from 0. */
function rankOf(from: usize, to: usize): f64 {
  const rank = numberOf(from, to)
  return rank >= 0 && rank == Math.floor(rank) ? -rank : NaN
}

/**
 * Returns a decimal number, correctly rounded: the quotient of two numbers that doubles represent
 * exactly. NaN for all other numbers.
 */
function numberOf(from: usize, to: usize): f64 {
  const negative = load<u8>(from) == MINUS
  let value: u64 = 0
  let digits: i32 = 0
  let seen: i32 = 0
  let decimals: i32 = 0
  let point: i32 = 0
  for (let at = from + <usize>negative; at < to; at++) {
    const byte = load<u8>(at)
    const digit = <u8>(byte - ZERO)
    if (digit <= 9) {
      value = value * 10 + digit
      seen = 1
      // Leading zeros do not count as digits.
      if (value != 0) digits++
      decimals += point
      if (digits > DIGITS) return NaN
    } else if (byte == POINT && !point) point = 1
    else return NaN
  }
  if (!seen || value > EXACT || decimals > LARGEST_POWER) return NaN
  const size = <f64>value / unchecked(POWERS[decimals])
  return negative ? -size : size
}
