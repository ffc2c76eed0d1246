import { KithError } from '../error.ts'
import { isObject, rowsOf, type Vectors } from '../matrix.ts'
import { range, resolve } from '../settings/setting-rules.ts'
import { show } from '../settings/show.ts'

/**
 * How similar the documents of a collection are to each other: the scale on which the similarity of a
 * hit is judged. Plain data: it can be stored, and posted to a worker.
 */
export interface Background {
  /** How many documents the collection has. */
  readonly documents: number
  readonly dimensions: number
  /** Mean and deviation of the cosines of all pairs of the sample. */
  readonly pairs: Spread
  /** Mean and deviation of the largest cosine to any other document of the collection. */
  readonly nearest: Spread
  /** The sampled documents' vectors of length 1, row after row, in half precision. */
  readonly sample: Uint16Array
}

/** The mean and the deviation of some values. */
export interface Spread {
  readonly mean: number
  readonly deviation: number
}

/** How documents are sampled. */
export interface BackgroundOptions {
  /** The seed of the sample; 0 by default. */
  seed?: number | undefined
  /** Documents to sample; 1,000 by default, all where there are fewer. */
  sample?: number | undefined
}

/** The part of the sample whose nearest documents are looked for. */
const NEAREST = 0.5

const defaults = { seed: 0, sample: 1000 }
const rules = {
  seed: range({ from: 0, to: 2 ** 32 - 1, integer: true }),
  sample: range({ from: 2, to: 100_000, integer: true }),
}

/**
 * The background of a collection's vectors, by which `shortlist` estimates how relevant hits are. It
 * compares half of the sample with every document: a second for 5,000 documents of 384 numbers.
 *
 * ```ts
 * const known = background(vectors)
 * const { hits } = shortlist(query, candidates, { background: known, statistics, cutoff: 'auto' })
 * ```
 */
export function background(vectors: Vectors, options: BackgroundOptions = {}): Background {
  const { seed, sample } = resolve(options, defaults, rules)
  const { count, dimensions, copyTo } = rowsOf(vectors, 'document')
  if (count < 2) {
    throw new KithError('BAD_INPUT', `a background needs 2 documents or more, got ${count}`)
  }
  const data = new Float32Array(count * dimensions)
  copyTo(data, dimensions)
  const rows = Array.from({ length: count }, (_, i) =>
    unitLength(data.subarray(i * dimensions, (i + 1) * dimensions), i),
  )
  const chosen = draw(count, Math.min(sample, count), seed)
  const pairs = chosen.flatMap((row, i) =>
    chosen.slice(i + 1).map((other) => dot(rows[row]!, rows[other]!)),
  )
  const nearest = chosen.slice(0, Math.ceil(chosen.length * NEAREST)).map((row) => {
    let most = -1
    for (let other = 0; other < count; other++) {
      if (other !== row) most = Math.max(most, dot(rows[row]!, rows[other]!))
    }
    return most
  })
  const halves = new Uint16Array(chosen.length * dimensions)
  chosen.forEach((row, i) => {
    rows[row]!.forEach((value, j) => {
      halves[i * dimensions + j] = toHalf(value)
    })
  })
  return {
    documents: count,
    dimensions,
    pairs: spreadOf(pairs),
    nearest: spreadOf(nearest),
    sample: halves,
  }
}

/** Throws unless a value has the form of a background. */
export function checkBackground(value: unknown): asserts value is Background {
  const { dimensions, pairs, nearest, sample } = (isObject(value) ? value : {}) as Background
  const fits =
    Number.isSafeInteger(dimensions) &&
    dimensions > 0 &&
    [pairs, nearest].every((spread) => isSpread(spread)) &&
    sample instanceof Uint16Array &&
    sample.length > 0 &&
    sample.length % dimensions === 0
  if (fits) return
  throw new KithError('BAD_INPUT', `background must come from background(), not be ${show(value)}`)
}

/** The sampled vectors of backgrounds that were used, as float32. */
const unpacked = new WeakMap<Background, Float32Array>()

/** Mean and deviation of the cosines of a vector with the sampled documents. */
export function cosinesToSample(known: Background, vector: ArrayLike<number>): Spread {
  const { dimensions } = known
  let sample = unpacked.get(known)
  if (!sample) {
    sample = Float32Array.from(known.sample, fromHalf)
    unpacked.set(known, sample)
  }
  const own = Float32Array.from(vector)
  const length = Math.sqrt(dot(own, own)) || 1
  const cosines = new Float64Array(sample.length / dimensions)
  for (let i = 0; i < cosines.length; i++) cosines[i] = dot(own, sample, i * dimensions) / length
  return spreadOf(cosines)
}

function isSpread(value: Spread | undefined): boolean {
  return Number.isFinite(value?.mean) && Number.isFinite(value?.deviation)
}

function spreadOf(values: ArrayLike<number>): Spread {
  const count = values.length
  let sum = 0
  for (let i = 0; i < count; i++) sum += values[i]!
  const mean = sum / count
  let squares = 0
  for (let i = 0; i < count; i++) squares += (values[i]! - mean) ** 2
  return { mean, deviation: Math.sqrt(squares / count) }
}

/** Scales a vector to length 1, in place; a zero vector stays. */
function unitLength(vector: Float32Array, row: number): Float32Array {
  const square = dot(vector, vector)
  if (!Number.isFinite(square)) {
    throw new KithError('BAD_VECTOR', `document ${row} has a number that is not finite`)
  }
  if (square > 0 && square !== 1) {
    for (let j = 0; j < vector.length; j++) vector[j]! /= Math.sqrt(square)
  }
  return vector
}

/** The inner product of a vector with another, or with a row that starts at an index. */
function dot(a: Float32Array, b: Float32Array, from = 0): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  const end = a.length & ~3
  let j = 0
  for (; j < end; j += 4) {
    first += a[j]! * b[from + j]!
    second += a[j + 1]! * b[from + j + 1]!
    third += a[j + 2]! * b[from + j + 2]!
    fourth += a[j + 3]! * b[from + j + 3]!
  }
  for (; j < a.length; j++) first += a[j]! * b[from + j]!
  return first + second + third + fourth
}

/** Some of the first `count` numbers, in a random order that a seed gives. */
function draw(count: number, some: number, seed: number): number[] {
  const numbers = Array.from({ length: count }, (_, i) => i)
  let state = seed >>> 0
  for (let i = 0; i < some; i++) {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    const other = i + Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * (count - i))
    const own = numbers[i]!
    numbers[i] = numbers[other]!
    numbers[other] = own
  }
  return numbers.slice(0, some)
}

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** The half-precision bits nearest to a number from −1 to 1; ties go to the even one. */
function toHalf(value: number): number {
  float[0] = value
  const sign = (bits[0]! >>> 16) & 0x8000
  const size = bits[0]! & 0x7fffffff
  // Below 2^-14 halves are evenly spaced: the sum rounds to that spacing.
  if (size < 0x38800000) {
    float[0] = Math.abs(value) + 0.5
    return sign | (bits[0]! - 0x3f000000)
  }
  return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13)
}

function fromHalf(half: number): number {
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return half & 0x8000 ? -size : size
}
