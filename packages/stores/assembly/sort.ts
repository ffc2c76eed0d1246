import { word } from './address'

/**
 * Sorts a query's candidates by score, best first; equal ones keep their order,
 * which is the order of their rows. Radix sort in four passes, `scratch` being room
 * for twice `count` entries and `places` for 256.
 */
export function sort(scores: usize, rows: usize, count: i32, scratch: usize, places: usize): void {
  for (let i = 0; i < count; i++) {
    store<u32>(word(scores, i), descending(load<f32>(word(scores, i))))
  }
  const otherRows = word(scratch, count)
  for (let shift = 0; shift < 32; shift += 16) {
    pass(scores, rows, scratch, otherRows, count, shift, places)
    pass(scratch, otherRows, scores, rows, count, shift + 8, places)
  }
  for (let i = 0; i < count; i++) {
    store<f32>(word(scores, i), score(load<u32>(word(scores, i))))
  }
}

/** A key that rises as the score falls; −0 and 0 are a tie. */
function descending(score: f32): u32 {
  const bits = reinterpret<u32>(score + 0)
  return bits >> 31 ? bits : bits ^ 0x7fffffff
}

function score(key: u32): f32 {
  return reinterpret<f32>(key >> 31 ? key : key ^ 0x7fffffff)
}

/** One stable pass over eight bits of the keys. */
function pass(
  keys: usize,
  rows: usize,
  newKeys: usize,
  newRows: usize,
  count: i32,
  shift: i32,
  places: usize,
): void {
  memory.fill(places, 0, 1024)
  for (let i = 0; i < count; i++) {
    const place = digit(places, load<u32>(word(keys, i)), shift)
    store<i32>(place, load<i32>(place) + 1)
  }
  let sum = 0
  for (let at = places; at < places + 1024; at += 4) {
    const before = sum
    sum += load<i32>(at)
    store<i32>(at, before)
  }
  for (let i = 0; i < count; i++) {
    const key = load<u32>(word(keys, i))
    const place = digit(places, key, shift)
    const to = load<i32>(place)
    store<i32>(place, to + 1)
    store<u32>(word(newKeys, to), key)
    store<i32>(word(newRows, to), load<i32>(word(rows, i)))
  }
}

function digit(places: usize, key: u32, shift: i32): usize {
  return word(places, (key >> shift) & 255)
}
