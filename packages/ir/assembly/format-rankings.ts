import { copyShort, isSpace, MINUS, NEWLINE, POINT, POWERS, SPACE, ZERO } from './bytes'

/** Maximum number of bytes of a rank, a score, and what separates them. */
const NUMBERS: usize = 40

const DONE: i32 = 0
const OPEN_SCORE: i32 = 1
const NO_ROOM: i32 = 2
const NO_COLUMN: i32 = 3

/** Bytes of the description of a ranking: five numbers of 32 bits. */
const RANKING: usize = 20

/** The row at which it stopped. */
let stopped: u32 = 0
/** The end of the bytes that were written. */
let written: usize = 0
/** Why it stopped. */
let reason: i32 = DONE

export function stoppedRow(): u32 {
  return stopped
}

export function formattedTo(): usize {
  return written
}

export function stopReason(): i32 {
  return reason
}

/**
 * Writes the lines of rankings: the prefix, the document's id, the separator, and the rank. A score
 * follows with nine digits, and the suffix. Stops behind the rank of a row whose score this module
 * does not decide, before a line that may not fit in the room, and before an id that is no column.
 *
 * @param ranking The ranking to begin with.
 * @param row The row of this ranking to begin with.
 * @param rankings Five numbers for each ranking: where the prefix starts and ends, the first row and
 * the end of the rows, and whether the scores are float32.
 * @param count The number of rankings.
 * @param rows The number of each row's id in the list of ids.
 * @param scores The scores of the rows; this module writes a score only if it is a float32.
 * @param suffix The bytes after the score, up to `suffixEnd`; if there are none, lines have no score.
 * @param out Room for the lines, up to `outEnd`.
 * @returns The ranking at which it stopped; `count` if it wrote all of them.
 */
export function formatRankings(
  ranking: u32,
  row: u32,
  rankings: usize,
  count: u32,
  ids: usize,
  starts: usize,
  rows: usize,
  scores: usize,
  separator: u8,
  suffix: usize,
  suffixEnd: usize,
  out: usize,
  outEnd: usize,
): u32 {
  reason = DONE
  written = out
  stopped = row
  while (ranking < count) {
    const own = rankings + <usize>ranking * RANKING
    writeRows(own, ids, starts, rows, scores, separator, suffix, suffixEnd, outEnd)
    if (reason != DONE) return ranking
    ranking++
    if (ranking < count) stopped = load<u32>(own + RANKING, 8)
  }
  return count
}

/** Writes the rows of a ranking from `stopped` on to `written`. */
function writeRows(
  ranking: usize,
  ids: usize,
  starts: usize,
  rows: usize,
  scores: usize,
  separator: u8,
  suffix: usize,
  suffixEnd: usize,
  outEnd: usize,
): void {
  const prefix = <usize>load<u32>(ranking)
  const prefixEnd = <usize>load<u32>(ranking, 4)
  const first = load<u32>(ranking, 8)
  const end = load<u32>(ranking, 12)
  const single = load<u32>(ranking, 16)
  const others = prefixEnd - prefix + (suffixEnd - suffix) + NUMBERS
  let at = written
  let row = stopped
  for (; row < end; row++) {
    const number = starts + ((<usize>load<u32>(rows + ((<usize>row) << 2))) << 2)
    const id = ids + load<u32>(number)
    const idEnd = ids + load<u32>(number, 4)
    if (at + (idEnd - id) + others > outEnd) {
      reason = NO_ROOM
      break
    }
    if (!isColumn(id, idEnd)) {
      reason = NO_COLUMN
      break
    }
    at = copyShort(prefix, prefixEnd, at)
    at = copyShort(id, idEnd, at)
    store<u8>(at, separator)
    at = whole(row - first + 1, at + 1)
    if (suffixEnd > suffix) {
      store<u8>(at++, SPACE)
      const scored = single ? nineDigits(load<f64>(scores + ((<usize>row) << 3)), at) : 0
      if (scored == 0) {
        reason = OPEN_SCORE
        break
      }
      at = copyShort(suffix, suffixEnd, scored)
    } else store<u8>(at++, NEWLINE)
  }
  stopped = row
  written = at
}

/** Returns whether an id is a single column of a line: not empty, and without white space. */
function isColumn(id: usize, end: usize): boolean {
  for (let at = id; at < end; at++) if (isSpace(load<u8>(at))) return false
  return end > id
}

/** Writes a whole number; returns its end. */
function whole(value: u32, at: usize): usize {
  let count: i32 = 1
  while (count < 10 && <f64>value >= unchecked(POWERS[count])) count++
  digits(value, count, at)
  return at + <usize>count
}

/** Writes some digits of a whole number, including leading zeros. */
function digits(value: u32, count: i32, at: usize): void {
  for (let i = count - 1; i >= 0; i--) {
    const rest = value / 10
    store<u8>(at + <usize>i, ZERO + <u8>(value - rest * 10))
    value = rest
  }
}

/**
 * Writes a number with nine digits, which distinguish any two float32, like `toPrecision(9)`.
 * Returns its end; 0 for numbers with an exponent, and if rounding is not certain.
 */
function nineDigits(value: f64, at: usize): usize {
  const size = abs(value)
  if (!(size >= 1e-6 && size < 1e8)) return 0
  // The number of decimals, and all digits as a whole number of nine digits.
  let decimals: i32 = 8
  while (decimals > 0 && size >= unchecked(POWERS[9 - decimals])) decimals--
  while (size * unchecked(POWERS[decimals]) < 1e8) decimals++
  const scaled = size * unchecked(POWERS[decimals])
  const all = <u32>(scaled + 0.5)
  // The product itself is rounded: near the middle of two whole numbers, it does not decide.
  if (all >= 1000000000 || abs(scaled - <f64>all) > 0.4999) return 0
  if (value < 0) store<u8>(at++, MINUS)
  const scale = <u32>unchecked(POWERS[min(decimals, 9)])
  const front = all / scale
  at = whole(front, at)
  store<u8>(at++, POINT)
  digits(all - front * scale, decimals, at)
  return at + <usize>decimals
}
