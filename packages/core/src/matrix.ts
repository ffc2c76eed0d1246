import { KithError } from './error.ts'
import { show } from './settings/show.ts'

/** An embedding. */
export type Vector = Float32Array | Float64Array | readonly number[]

/** Embeddings as rows, one after the other. */
export interface Matrix {
  data: Float32Array
  rows: number
  dimensions: number
  /** Only these rows, in this order. */
  chosen?: Uint32Array | undefined
}

/** Several embeddings of one length: an array of them, or a matrix. */
export type Vectors = readonly Vector[] | Matrix

/** Embeddings of which some may be missing. */
export type SomeVectors = readonly (Vector | null | undefined)[] | Matrix

/** A checked source of rows that the kernel copies into its own memory. */
export interface Rows {
  readonly count: number
  /** Number of vectors, including vectors beyond the limit. */
  readonly total: number
  readonly dimensions: number
  /** The rows that have no vector, ascending; they are written as zeros. */
  readonly missing: readonly number[]
  /** Writes row i to target[at + i · stride] and on. */
  copyTo(target: Float32Array, at: number, stride: number): void
  /** Some of the candidates' rows, by their index, in this order. */
  select(candidates: ArrayLike<number>): Rows
}

/**
 * The first `limit` vectors, each of them checked for its form; `name` is its name in messages. A
 * missing one is refused unless `some` is true.
 */
export function rowsOf(vectors: SomeVectors, name: string, limit = Infinity, some = false): Rows {
  if (Array.isArray(vectors)) return rowsOfArray(vectors, name, limit, some)
  const matrix = toMatrix(vectors)
  if (matrix) return rowsOfMatrix(matrix, name, limit)
  throw new KithError(
    'BAD_INPUT',
    `${name}s must be an array of vectors or a matrix { data: Float32Array, rows, dimensions }`,
  )
}

/** The query's vector followed by its candidates'. */
export function withQuery(query: Vector, candidates: Rows, name: string): Rows {
  const dimensions = lengthOf(query, 'the query')
  if (dimensions === 0) throw new KithError('BAD_SHAPE', 'the query vector must not be empty')
  if (candidates.count > candidates.missing.length && candidates.dimensions !== dimensions) {
    throw unequal(`${name} 0`, candidates.dimensions, 'the query', dimensions)
  }
  return {
    count: candidates.count + 1,
    total: candidates.total + 1,
    dimensions,
    missing: behindQuery(candidates.missing),
    copyTo(target, at, stride) {
      copyNumbers(query, target, at)
      candidates.copyTo(target, at + stride, stride)
    },
    select: (chosen) => withQuery(query, candidates.select(chosen), name),
  }
}

/**
 * Rows of candidates as rows of a context, in which the query is the first. A loop: compiled code
 * gives the arrays that `map` makes another form, and V8 compiles whatever reads them again.
 */
export function behindQuery(rows: ArrayLike<number>): number[] {
  const moved: number[] = []
  for (let i = 0; i < rows.length; i++) moved.push(rows[i]! + 1)
  return moved
}

function rowsOfArray(
  vectors: readonly (Vector | null | undefined)[],
  name: string,
  limit: number,
  some: boolean,
): Rows {
  const total = vectors.length
  const count = Math.min(total, limit)
  // A vector is read once, so that the checked numbers are the ones that are copied.
  const checked: (Vector | undefined)[] = []
  let dimensions = -1
  let first = 0
  for (let i = 0; i < total; i++) {
    const vector = vectors[i] ?? undefined
    if (vector !== undefined || !some) {
      const length = lengthOf(vector, name, i)
      if (dimensions < 0) {
        dimensions = length
        first = i
      }
      if (length !== dimensions)
        throw unequal(`${name} ${i}`, length, `${name} ${first}`, dimensions)
    }
    if (i < count) checked.push(vector)
  }
  return checkedRows(checked, total, Math.max(0, dimensions))
}

/** Rows of vectors that were checked. */
function checkedRows(
  vectors: readonly (Vector | undefined)[],
  total: number,
  dimensions: number,
): Rows {
  const missing: number[] = []
  for (let i = 0; i < vectors.length; i++) if (vectors[i] === undefined) missing.push(i)
  return {
    count: vectors.length,
    total,
    dimensions,
    missing,
    copyTo(target, at, stride) {
      for (let i = 0; i < vectors.length; i++) {
        const vector = vectors[i]
        const to = at + i * stride
        if (vector) copyNumbers(vector, target, to)
        else target.fill(0, to, to + dimensions)
      }
    },
    select: (chosen) =>
      checkedRows(
        Array.from(chosen, (i) => vectors[i]),
        total,
        dimensions,
      ),
  }
}

function rowsOfMatrix(
  { data, rows, dimensions, chosen }: Matrix,
  name: string,
  limit: number,
): Rows {
  if (chosen !== undefined && tagOf(chosen) !== 'Uint32Array') {
    throw new KithError('BAD_INPUT', 'the property chosen of a matrix must be a Uint32Array')
  }
  if (!isCount(rows) || !isCount(dimensions) || data.length < rows * dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `the matrix of ${name}s must have rows × dimensions = ${show(rows)} × ${show(dimensions)} numbers, got ${data.length}`,
    )
  }
  // A copy, so that the checked rows are the ones that are read: an array, which V8 makes faster.
  const own: number[] | undefined = chosen && []
  for (let i = 0; chosen && i < chosen.length; i++) {
    const row = chosen[i]!
    if (row >= rows) {
      throw new KithError(
        'BAD_SHAPE',
        `row ${row} does not exist: the matrix of ${name}s has ${rows} rows`,
      )
    }
    own!.push(row)
  }
  const total = own ? own.length : rows
  const count = Math.min(total, limit)
  return rowsOfChecked(data, dimensions, own, count, total)
}

/** Rows of a matrix that was checked; `own` are the chosen ones. */
function rowsOfChecked(
  data: Float32Array,
  dimensions: number,
  own: readonly number[] | undefined,
  count: number,
  total: number,
): Rows {
  return {
    count,
    total,
    dimensions,
    missing: [],
    copyTo(target, at, stride) {
      if (stride === dimensions && !own) target.set(data.subarray(0, count * dimensions), at)
      else {
        for (let i = 0; i < count; i++) {
          const from = (own ? own[i]! : i) * dimensions
          target.set(data.subarray(from, from + dimensions), at + i * stride)
        }
      }
    },
    select: (chosen) => {
      const these: number[] = []
      for (let i = 0; i < chosen.length; i++) these.push(own ? own[chosen[i]!]! : chosen[i]!)
      return rowsOfChecked(data, dimensions, these, these.length, total)
    },
  }
}

/** A matrix whose properties are read once. */
function toMatrix(value: unknown): Matrix | undefined {
  if (!isObject(value) || !('data' in value)) return undefined
  const { data, rows, dimensions, chosen } = value as Matrix
  return isFloats(data) ? { data, rows, dimensions, chosen: chosen ?? undefined } : undefined
}

/** Whether a value is a whole number from 0. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** The length of a vector; `name` and the index, if it has one, are its name in messages. */
function lengthOf(vector: Vector | undefined, name: string, index?: number): number {
  if (isFloats(vector)) return vector.length
  const isArray = Array.isArray(vector)
  const nested = isArray && isList(vector[0])
  const known = isArray || tagOf(vector) === 'Float64Array'
  if (known && !nested) return vector!.length
  const wanted = nested
    ? 'an array of numbers, got an array of arrays; pass one of the inner arrays'
    : 'a Float32Array or an array of numbers'
  const own = index === undefined ? name : `${name} ${index}`
  throw new KithError('BAD_INPUT', `${own} must be ${wanted}`)
}

/** Whether a value is a Float32Array. A Proxy of one is an instance of it, but has no length. */
function isFloats(value: unknown): value is Float32Array {
  return (
    (value instanceof Float32Array && ArrayBuffer.isView(value)) || tagOf(value) === 'Float32Array'
  )
}

function isList(value: unknown): boolean {
  return Array.isArray(value) || ArrayBuffer.isView(value)
}

/** The kind of a typed array, also of one from another window or realm. */
function tagOf(value: unknown): string {
  return ArrayBuffer.isView(value) && Symbol.toStringTag in value
    ? String(value[Symbol.toStringTag])
    : ''
}

/** Whether a value has properties. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Copies numbers; a value that cannot become a number, such as a BigInt, becomes NaN and is reported. */
function copyNumbers(from: Vector, to: Float32Array, at: number): void {
  try {
    to.set(from, at)
  } catch {
    for (let j = 0; j < from.length; j++) to[at + j] = typeof from[j] === 'number' ? from[j]! : NaN
  }
}

function unequal(name: string, length: number, other: string, expected: number): KithError {
  return new KithError(
    'BAD_SHAPE',
    `${name} has ${length} dimensions, but ${other} has ${expected}`,
  )
}
