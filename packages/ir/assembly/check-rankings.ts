import { sameBytes } from './bytes'

const TWICE: i32 = 2
const UNSORTED: i32 = 1

/**
 * Checks rankings: stores 0 for a query if its documents are sorted by score, ties by document id,
 * descending; 1 if they are not sorted; 2 if a document occurs twice.
 *
 * @param starts Where each id starts in `ids`, and at last the end of the ids.
 * @param firsts The first row of each query, and at last the end; the first number counts as 0.
 * @param queries The number of queries.
 * @param slots Room for a hash table: 16 bytes for each row of the largest query, and 16 more.
 * @param verdicts A byte per query.
 */
export function checkRankings(
  ids: usize,
  starts: usize,
  scores: usize,
  firsts: usize,
  queries: u32,
  slots: usize,
  verdicts: usize,
): void {
  const base = load<u32>(firsts)
  for (let query: usize = 0; query < <usize>queries; query++) {
    const from = <usize>(load<u32>(firsts + (query << 2)) - base)
    const rows = load<u32>(firsts + (query << 2), 4) - base - <u32>from
    const verdict = checkRanking(ids, starts + (from << 2), scores + (from << 3), rows, slots)
    store<u8>(verdicts + query, <u8>verdict)
  }
}

function checkRanking(ids: usize, starts: usize, scores: usize, rows: u32, slots: usize): i32 {
  let size: u32 = 2
  while (size < rows * 2 + 2) size *= 2
  const mask = size - 1
  memory.fill(slots, 0, (<usize>size) << 2)
  let sorted = true
  for (let row: usize = 0; row < <usize>rows; row++) {
    const id = ids + load<u32>(starts + (row << 2))
    const length = ids + load<u32>(starts + (row << 2), 4) - id
    let slot = hashOf(id, length) & mask
    for (;;) {
      // The number of the row in the slot, counted from 1.
      const other = <usize>load<u32>(slots + ((<usize>slot) << 2))
      if (other == 0) break
      const start = ids + load<u32>(starts + (other << 2) - 4)
      const bytes = ids + load<u32>(starts + (other << 2)) - start
      if (bytes == length && sameBytes(start, id, length)) return TWICE
      slot = (slot + 1) & mask
    }
    store<u32>(slots + ((<usize>slot) << 2), <u32>row + 1)
    if (row == 0 || !sorted) continue
    const score = load<f64>(scores + (row << 3))
    const before = load<f64>(scores + (row << 3) - 8)
    if (score < before) continue
    const start = ids + load<u32>(starts + (row << 2) - 4)
    sorted = score == before && isLess(id, length, start, id - start)
  }
  return sorted ? 0 : UNSORTED
}

/** FNV-1a with a final mix. */
function hashOf(id: usize, length: usize): u32 {
  let hash: u32 = 0x811c9dc5
  for (let i: usize = 0; i < length; i++) hash = (hash ^ load<u8>(id + i)) * 0x01000193
  return hash ^ (hash >> 15)
}

/** Returns whether a range of bytes sorts before another. */
function isLess(a: usize, aLength: usize, b: usize, bLength: usize): boolean {
  const shared = min(aLength, bLength)
  for (let i: usize = 0; i < shared; i++) {
    const left = load<u8>(a + i)
    const right = load<u8>(b + i)
    if (left != right) return left < right
  }
  return aLength < bLength
}
