/**
 * The best documents of one query so far: scores and rows in the order in which
 * they came, which is the order of the rows, at most `room` of them.
 */

import { word } from './address'

/**
 * Appends the documents whose score is above the threshold: an equal one comes
 * later and loses the tie. Returns how many there are now.
 */
export function append(
  line: usize,
  documents: i32,
  firstRow: i32,
  threshold: f32,
  scores: usize,
  rows: usize,
  count: i32,
): i32 {
  const level = f32x4.splat(threshold)
  for (let j = 0; j < documents; j += 4) {
    const four = v128.load(word(line, j))
    let mask = i32x4.bitmask(f32x4.gt(four, level))
    if (mask == 0) continue
    if (documents - j < 4) mask &= (1 << (documents - j)) - 1
    while (mask != 0) {
      const document = j + ctz(mask)
      store<f32>(word(scores, count), load<f32>(word(line, document)))
      store<i32>(word(rows, count), firstRow + document)
      count++
      mask &= mask - 1
    }
  }
  return count
}

/**
 * Keeps the best `top` of `count` > top candidates, ties by the lower row, in
 * their order, and returns a threshold that no later document may fall below.
 */
export function select(scores: usize, rows: usize, count: i32, top: i32): f32 {
  // Bisecting the bits of the floats, which order as they do, ends within 32 steps.
  let low = key(extreme(scores, count, false))
  let high = key(extreme(scores, count, true)) + 1
  let above = count
  while (above > top && low + 1 < high) {
    const middle = <i32>((<i64>low + <i64>high) >> 1)
    const n = atLeast(scores, count, value(middle))
    if (n >= top) {
      low = middle
      above = n
    } else {
      high = middle
    }
  }
  const threshold = value(low)
  // Candidates beyond `top` are all tied at the threshold: the first ones stay.
  let tied = above == top ? top : top - moreThan(scores, count, threshold)
  let kept = 0
  for (let i = 0; i < count; i++) {
    const score = load<f32>(word(scores, i))
    if (score < threshold) continue
    if (score == threshold && tied-- <= 0) continue
    store<f32>(word(scores, kept), score)
    store<i32>(word(rows, kept), load<i32>(word(rows, i)))
    kept++
  }
  return threshold
}

/** A float's bits as an integer that orders as the float does. */
function key(score: f32): i32 {
  const bits = reinterpret<i32>(score)
  return bits ^ ((bits >> 31) & 0x7fffffff)
}

function value(key: i32): f32 {
  return reinterpret<f32>(key ^ ((key >> 31) & 0x7fffffff))
}

function extreme(scores: usize, count: i32, largest: bool): f32 {
  let result = load<f32>(scores)
  for (let i = 1; i < count; i++) {
    const score = load<f32>(word(scores, i))
    result = largest ? max(result, score) : min(result, score)
  }
  return result
}

/** How many scores reach a threshold. */
function atLeast(scores: usize, count: i32, threshold: f32): i32 {
  const level = f32x4.splat(threshold)
  let sums = i32x4.splat(0)
  let i = 0
  for (const whole = count & ~3; i < whole; i += 4) {
    sums = i32x4.sub(sums, f32x4.ge(v128.load(word(scores, i)), level))
  }
  let sum =
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  for (; i < count; i++) sum += i32(load<f32>(word(scores, i)) >= threshold)
  return sum
}

function moreThan(scores: usize, count: i32, threshold: f32): i32 {
  let sum = 0
  for (let i = 0; i < count; i++) sum += i32(load<f32>(word(scores, i)) > threshold)
  return sum
}
