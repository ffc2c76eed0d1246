import { word } from './address'

/**
 * docs/method.md section 2: rank[i], the `keep` rows with the highest S[i, ·], best
 * first, ties by the lower row.
 *
 * Per row: a threshold is bisected until few enough values lie at or above it,
 * these values are gathered in index order, and the place of each value is the number of
 * larger ones: no branch depends on the data except the number of bisections.
 *
 * `s` has `rows` columns (a multiple of 4), of which the last rows − count are
 * padding and become −infinity. `out` needs room for count × keep + rows entries: what falls
 * behind `keep` spills into the next row's place and is overwritten by it.
 * `values`, `found` and `seen` are room for rows + 4 entries each.
 */
export function rank(
  s: usize,
  count: i32,
  rows: i32,
  keep: i32,
  out: usize,
  values: usize,
  found: usize,
  seen: usize,
): void {
  const line = (<usize>rows) << 2
  const enough = keep + (keep >> 2) + 4
  for (let i = 0; i < count; i++) {
    const row = s + <usize>i * line
    const end = row + line
    for (let at = word(row, count); at < end; at += 4) store<f32>(at, -Infinity)
    let high = largest(row, end)
    let low = smallest(row, count)
    let above = keep >= count ? 0 : count
    while (above > enough) {
      const middle = low * 0.5 + high * 0.5
      // Neighboring floats: everything left between them is one tied value.
      if (!(middle > low && middle < high)) break
      const n = atLeast(row, end, middle)
      if (n >= keep) {
        low = middle
        above = n
      } else {
        high = middle
      }
    }
    const n =
      above > enough
        ? gatherTied(row, count, keep, low, values, found)
        : gather(row, end, low, values, found)
    place(n, word(out, i * keep), values, found, seen)
  }
}

function largest(row: usize, end: usize): f32 {
  let best = v128.load(row)
  for (let at = row + 16; at < end; at += 16) best = f32x4.pmax(best, v128.load(at))
  return max(
    max(f32x4.extract_lane(best, 0), f32x4.extract_lane(best, 1)),
    max(f32x4.extract_lane(best, 2), f32x4.extract_lane(best, 3)),
  )
}

function smallest(row: usize, count: i32): f32 {
  const whole = word(row, count & ~3)
  let least = f32x4.splat(f32.MAX_VALUE)
  let at = row
  for (; at < whole; at += 16) least = f32x4.pmin(least, v128.load(at))
  let result = min(
    min(f32x4.extract_lane(least, 0), f32x4.extract_lane(least, 1)),
    min(f32x4.extract_lane(least, 2), f32x4.extract_lane(least, 3)),
  )
  for (const end = word(row, count); at < end; at += 4) result = min(result, load<f32>(at))
  return result
}

/** How many values of a row reach the threshold. */
function atLeast(row: usize, end: usize, threshold: f32): i32 {
  const level = f32x4.splat(threshold)
  let sum = i32x4.splat(0)
  for (let at = row; at < end; at += 16) sum = i32x4.sub(sum, f32x4.ge(v128.load(at), level))
  return (
    i32x4.extract_lane(sum, 0) +
    i32x4.extract_lane(sum, 1) +
    i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  )
}

/** Gathers the values that reach the threshold, in index order; returns how many. */
function gather(row: usize, end: usize, threshold: f32, values: usize, found: usize): i32 {
  const level = f32x4.splat(threshold)
  let n: usize = 0
  for (let at = row; at < end; at += 16) {
    const four = v128.load(at)
    const mask = i32x4.bitmask(f32x4.ge(four, level))
    if (mask == 0) continue
    // All four are written; only values that count advance the end.
    const index = <i32>((at - row) >> 2)
    store<f32>(values + n, f32x4.extract_lane(four, 0))
    store<i32>(found + n, index)
    n += (mask & 1) << 2
    store<f32>(values + n, f32x4.extract_lane(four, 1))
    store<i32>(found + n, index + 1)
    n += (mask & 2) << 1
    store<f32>(values + n, f32x4.extract_lane(four, 2))
    store<i32>(found + n, index + 2)
    n += mask & 4
    store<f32>(values + n, f32x4.extract_lane(four, 3))
    store<i32>(found + n, index + 3)
    n += (mask & 8) >> 1
  }
  return <i32>(n >> 2)
}

/** With more ties at the threshold than places: all above it, then the first tied ones. */
function gatherTied(
  row: usize,
  count: i32,
  keep: i32,
  threshold: f32,
  values: usize,
  found: usize,
): i32 {
  let above = 0
  for (let j = 0; j < count; j++) above += i32(load<f32>(word(row, j)) > threshold)
  let tied = keep - above
  let n: usize = 0
  for (let j = 0; j < count; j++) {
    const value = load<f32>(word(row, j))
    if (value < threshold) continue
    if (value == threshold && tied-- <= 0) continue
    store<f32>(values + n, value)
    store<i32>(found + n, j)
    n += 4
  }
  return <i32>(n >> 2)
}

/** Writes each gathered index to the place that the number of larger values gives it. */
function place(n: i32, out: usize, values: usize, found: usize, seen: usize): void {
  const end = values + (((<usize>n + 3) >> 2) << 4)
  v128.store(word(values, n), f32x4.splat(-Infinity))
  for (let at = values; at < end; at += 16) v128.store(seen + (at - values), i32x4.splat(0))
  for (let at = values; at < end; at += 16) {
    const before = larger(v128.load(at), values, end)
    const from = found + (at - values)
    const left = <i32>((end - at) >> 2) - (-n & 3)
    put(i32x4.extract_lane(before, 0), load<i32>(from), out, seen)
    if (left > 1) put(i32x4.extract_lane(before, 1), load<i32>(from, 4), out, seen)
    if (left > 2) put(i32x4.extract_lane(before, 2), load<i32>(from, 8), out, seen)
    if (left > 3) put(i32x4.extract_lane(before, 3), load<i32>(from, 12), out, seen)
  }
}

/** Tied values share a number of larger ones; they come in index order, one place each. */
function put(before: i32, index: i32, out: usize, seen: usize): void {
  const ties = word(seen, before)
  const turn = load<i32>(ties)
  store<i32>(ties, turn + 1)
  store<i32>(word(out, before + turn), index)
}

/** For each of four values, how many of the gathered ones are larger. */
function larger(four: v128, values: usize, end: usize): v128 {
  const v0 = v128.shuffle<f32>(four, four, 0, 0, 0, 0)
  const v1 = v128.shuffle<f32>(four, four, 1, 1, 1, 1)
  const v2 = v128.shuffle<f32>(four, four, 2, 2, 2, 2)
  const v3 = v128.shuffle<f32>(four, four, 3, 3, 3, 3)
  let n0 = i32x4.splat(0)
  let n1 = n0
  let n2 = n0
  let n3 = n0
  for (let at = values; at < end; at += 16) {
    const others = v128.load(at)
    n0 = i32x4.sub(n0, f32x4.gt(others, v0))
    n1 = i32x4.sub(n1, f32x4.gt(others, v1))
    n2 = i32x4.sub(n2, f32x4.gt(others, v2))
    n3 = i32x4.sub(n3, f32x4.gt(others, v3))
  }
  const a = i32x4.add(v128.shuffle<i32>(n0, n1, 0, 4, 1, 5), v128.shuffle<i32>(n0, n1, 2, 6, 3, 7))
  const b = i32x4.add(v128.shuffle<i32>(n2, n3, 0, 4, 1, 5), v128.shuffle<i32>(n2, n3, 2, 6, 3, 7))
  return i32x4.add(v128.shuffle<i32>(a, b, 0, 1, 4, 5), v128.shuffle<i32>(a, b, 2, 3, 6, 7))
}
