import { sameBytes } from './bytes'

const TWICE: i32 = 2
const UNSORTED: i32 = 1

/**
 * Checks a ranking: 0 if it is sorted by score, ties by document id, descending; 1 if it is not
 * sorted; 2 if a document occurs twice.
 *
 * @param starts Where each id starts in `ids`, and at last the end of the ids.
 * @param slots Room for a hash table.
 * @param mask The number of slots, a power of two and more than the rows, minus 1.
 */
export function checkRanking(
  ids: usize,
  starts: usize,
  scores: usize,
  rows: u32,
  slots: usize,
  mask: u32,
): i32 {
  memory.fill(slots, 0, (<usize>mask + 1) << 2)
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
      const size = ids + load<u32>(starts + (other << 2)) - start
      if (size == length && sameBytes(start, id, length)) return TWICE
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
