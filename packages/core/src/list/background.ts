import { KithError } from '../error.ts'
import type { Engine } from '../kernel/engine.ts'
import { isObject, rowsOf, type Vector, type Vectors, withQuery } from '../matrix.ts'
import { range, resolve } from '../settings/setting-rules.ts'
import { show } from '../settings/show.ts'

/**
 * How similar the documents of a corpus are to each other: the scale on which the similarity of a
 * hit is judged. Plain data: it can be stored as JSON, and posted to a worker.
 */
export interface Background {
  /** How many documents the corpus has. */
  readonly documents: number
  readonly dimensions: number
  /** The model that made the vectors, if it is known. */
  readonly model?: string | undefined
  /** Mean and deviation of the cosines of all pairs of the sample. */
  readonly pairs: Spread
  /** Mean and deviation of the largest cosine to any other document of the corpus. */
  readonly nearest: Spread
  /** The sampled documents' vectors of length 1, row after row: base64 of little-endian half-precision numbers. */
  readonly sample: string
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
  /** Documents to sample; 1,000 by default, all if there are fewer. */
  sample?: number | undefined
  /** The model that made the vectors, for others to check. */
  model?: string | undefined
}

/** Documents of the sample whose nearest documents are looked for: half of a larger sample. */
const NEAREST = 500

const defaults: { seed: number; sample: number; model?: string } = { seed: 0, sample: 1000 }
const rules = {
  seed: /* @__PURE__ */ range({ from: 0, to: 0xffffffff, integer: true }),
  sample: /* @__PURE__ */ range({ from: 2, to: 100_000, integer: true }),
  model: checkModel,
}

function checkModel(name: string, value: unknown): void {
  if (typeof value === 'string') return
  throw new KithError('BAD_SETTING', `setting ${name} must be a name, got ${show(value)}`)
}

/**
 * Makes the background of a corpus's vectors, from which `shortlist` estimates how relevant hits are.
 * Compares 500 documents with every document: a second for 5,000 documents of 384 dimensions.
 *
 * ```ts
 * const known = background(vectors)
 * const { hits } = shortlist(query, candidates, { background: known, statistics, cutoff: 'auto' })
 * ```
 */
export function background(vectors: Vectors, options: BackgroundOptions = {}): Background {
  const { seed, sample, model } = resolve(options, defaults, rules)
  const { count, dimensions, copyTo } = rowsOf(vectors, 'document')
  if (count < 2) {
    throw new KithError('BAD_INPUT', `a background needs at least 2 documents, got ${count}`)
  }
  const data = new Float32Array(count * dimensions)
  copyTo(data, 0, dimensions)
  const rows = Array.from({ length: count }, (_, i) =>
    unitLength(data.subarray(i * dimensions, (i + 1) * dimensions), i),
  )
  const { chosen, compared } = drawSample(count, { seed, sample })
  const nearest = chosen.slice(0, compared).map((row) => {
    let most = -1
    for (let other = 0; other < count; other++) {
      if (other !== row) most = Math.max(most, dot(rows[row]!, rows[other]!))
    }
    return most
  })
  const own = chosen.map((row) => rows[row]!)
  return backgroundOf(count, own, nearest, model)
}

/** The rows of a sample, and how many of the first are compared with all documents. */
export function drawSample(
  documents: number,
  options: BackgroundOptions = {},
): { chosen: number[]; compared: number } {
  const { seed, sample } = resolve(options, defaults, rules)
  const chosen = draw(documents, Math.min(sample, documents), seed)
  const compared = Math.max(NEAREST, Math.ceil(chosen.length / 2))
  return { chosen, compared: Math.min(compared, chosen.length) }
}

/**
 * The background of a sample whose nearest documents are known.
 *
 * @param sample Vectors of the drawn documents.
 * @param nearest The largest cosine of each of the first ones to any other document.
 */
export function backgroundOf(
  documents: number,
  sample: readonly Float32Array[],
  nearest: readonly number[],
  model?: string,
): Background {
  const rows = sample.map((vector, i) => unitLength(vector.slice(), i))
  const dimensions = rows[0]?.length ?? 0
  const pairs = new Float64Array((rows.length * (rows.length - 1)) / 2)
  let next = 0
  rows.forEach((row, i) => {
    for (let other = i + 1; other < rows.length; other++) pairs[next++] = dot(row, rows[other]!)
  })
  const halves = new DataView(new ArrayBuffer(rows.length * dimensions * 2))
  rows.forEach((row, i) => {
    row.forEach((value, j) => {
      halves.setUint16((i * dimensions + j) * 2, toHalf(value), true)
    })
  })
  return {
    documents,
    dimensions,
    ...(model === undefined ? {} : { model }),
    pairs: spreadOf(pairs),
    nearest: spreadOf(nearest),
    sample: toBase64(new Uint8Array(halves.buffer)),
  }
}

/** Throws unless a value has the form of a background. */
export function checkBackground(value: unknown): asserts value is Background {
  const {
    dimensions,
    model = '',
    pairs,
    nearest,
    sample,
  } = (isObject(value) ? value : {}) as Background
  const fits =
    Number.isSafeInteger(dimensions) &&
    dimensions > 0 &&
    typeof model === 'string' &&
    [pairs, nearest].every((spread) => isSpread(spread)) &&
    typeof sample === 'string' &&
    sample.length > 0
  if (fits) return
  throw new KithError(
    'BAD_INPUT',
    `background must be the result of background(), got ${show(value)}`,
  )
}

/** The sampled vectors of backgrounds that were used, as float32. */
const unpacked = new WeakMap<Background, Float32Array>()

/** Mean and deviation of the cosines of a vector with the sampled documents, in one product of the kernel. */
export function cosinesToSample(
  engine: Engine,
  known: Background,
  vector: ArrayLike<number>,
): Spread {
  const { dimensions } = known
  const sample = sampleOf(known)
  const { toQuery, squares } = engine.products(
    withQuery(
      vector as Vector,
      rowsOf({ data: sample, rows: sample.length / dimensions, dimensions }, 'document'),
      'document',
    ),
  )
  const { mean, deviation } = spreadOf(toQuery.subarray(1))
  const length = Math.sqrt(squares[0]!) || 1
  return { mean: mean / length, deviation: deviation / length }
}

/** The sampled vectors of a background, which are unpacked once; throws if they are damaged. */
export function sampleOf(known: Background): Float32Array {
  const before = unpacked.get(known)
  if (before) return before
  const sample = unpack(known)
  unpacked.set(known, sample)
  return sample
}

function unpack({ sample, dimensions }: Background): Float32Array {
  const bytes = fromBase64(sample)
  if (!bytes || bytes.length % (dimensions * 2) !== 0) {
    throw new KithError(
      'BAD_INPUT',
      'the sample of the background is damaged; make the background again',
    )
  }
  const halves = new DataView(bytes.buffer)
  return Float32Array.from({ length: bytes.length / 2 }, (_, i) =>
    fromHalf(halves.getUint16(i * 2, true)),
  )
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return btoa(binary)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
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
    throw new KithError('BAD_VECTOR', `document ${row} contains a number that is not finite`)
  }
  if (square > 0 && square !== 1) {
    for (let j = 0; j < vector.length; j++) vector[j]! /= Math.sqrt(square)
  }
  return vector
}

function dot(a: Float32Array, b: Float32Array): number {
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  const end = a.length & ~3
  let j = 0
  for (; j < end; j += 4) {
    first += a[j]! * b[j]!
    second += a[j + 1]! * b[j + 1]!
    third += a[j + 2]! * b[j + 2]!
    fourth += a[j + 3]! * b[j + 3]!
  }
  for (; j < a.length; j++) first += a[j]! * b[j]!
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

const single = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(4))

/** The half-precision bits nearest to a number from −1 to 1; ties go to the even one. */
function toHalf(value: number): number {
  single.setFloat32(0, value)
  const bits = single.getUint32(0)
  const sign = (bits >>> 16) & 0x8000
  const size = bits & 0x7fffffff
  // Below 2^-14 halves are evenly spaced: the sum rounds to that spacing.
  if (size < 0x38800000) {
    single.setFloat32(0, Math.abs(value) + 0.5)
    return sign | (single.getUint32(0) - 0x3f000000)
  }
  return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13)
}

function fromHalf(half: number): number {
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return half & 0x8000 ? -size : size
}
