import { KithError } from '@kith/core'

/**
 * The properties of an Arrow column that Kith reads. Arrow's classes are not imported: a program
 * may have two copies of Arrow.
 */
export interface ArrowData {
  readonly type: unknown
  readonly typeId: number
  /** The first bit of a bitmap that belongs to this data. */
  readonly offset: number
  /** The number of values of a buffer, or rows of a child, per row. */
  readonly stride: number
  readonly valueOffsets: Int32Array | BigInt64Array | undefined
  readonly values: Numbers | undefined
  readonly children: readonly ArrowData[]
  getValid(row: number): boolean
  clone(
    type: unknown,
    offset: number,
    length: number,
    nullCount: number,
    buffers: readonly unknown[],
    children?: readonly ArrowData[],
  ): ArrowData
}

/** Rows of a column's data from `begin` up to, but not including, `end`. */
export interface ArrowRows {
  data: ArrowData
  begin: number
  end: number
}

/** A typed array of any kind. */
type Numbers = Uint8Array

const BOOL = 6
const UNION = 14
const DICTIONARY = -1

/**
 * Joins rows of several columns of the same type into one column, in this order; converts no value.
 */
export function joinRows(parts: readonly ArrowRows[]): ArrowData {
  const { data } = parts[0]!
  if (data.typeId === DICTIONARY || data.typeId === UNION) {
    const kind = data.typeId === UNION ? 'unions' : 'dictionaries'
    throw new KithError(
      'BAD_INPUT',
      `columns of ${kind} cannot be merged; select only other columns`,
    )
  }
  const length = parts.reduce((sum, { begin, end }) => sum + end - begin, 0)
  const valid = joinBits(parts, length, (own, row) => own.getValid(row))
  const nulls = length - valid.set
  const cloned = (offsets: unknown, values: unknown, children?: readonly ArrowData[]) =>
    data.clone(data.type, 0, length, nulls, [offsets, values, valid.bitmap], children)
  if (data.valueOffsets) {
    const { offsets, inner } = joinOffsets(parts)
    if (data.children.length === 0) return cloned(offsets, joinValues(inner))
    return cloned(offsets, undefined, [joinRows(inner.map(childAt(0)))])
  }
  if (data.typeId === BOOL) {
    const { bitmap } = joinBits(parts, length, ({ values, offset }, row) =>
      isSet(values!, offset + row),
    )
    return cloned(undefined, bitmap)
  }
  const { stride } = data
  const inner = parts.map((part) => ({
    ...part,
    begin: part.begin * stride,
    end: part.end * stride,
  }))
  if (data.values) return cloned(undefined, joinValues(inner))
  const children = data.children.map((_, child) => joinRows(inner.map(childAt(child))))
  return cloned(undefined, undefined, children)
}

/** Returns a function that selects the same rows of a child. */
function childAt(child: number): (rows: ArrowRows) => ArrowRows {
  return ({ data, begin, end }) => ({ data: data.children[child]!, begin, end })
}

/**
 * Joins the offsets of rows of variable length, and the rows of the buffer or child that they refer
 * to.
 */
function joinOffsets(parts: readonly ArrowRows[]) {
  const offsets = [0]
  const inner = parts.map(({ data, begin, end }) => {
    // A column without rows may have no offsets.
    const at = (row: number) => Number(data.valueOffsets![row] ?? 0)
    for (let row = begin; row < end; row++) offsets.push(offsets.at(-1)! + at(row + 1) - at(row))
    return { data, begin: at(begin), end: at(end) }
  })
  const wide = parts[0]!.data.valueOffsets instanceof BigInt64Array
  return { offsets: wide ? BigInt64Array.from(offsets, BigInt) : Int32Array.from(offsets), inner }
}

/** Joins the values of a buffer in one typed array of the same kind. */
function joinValues(parts: readonly ArrowRows[]): Numbers {
  const length = parts.reduce((sum, { begin, end }) => sum + end - begin, 0)
  const Kind = parts[0]!.data.values!.constructor as new (length: number) => Numbers
  const joined = new Kind(length)
  let filled = 0
  for (const { data, begin, end } of parts) {
    joined.set(data.values!.subarray(begin, end), filled)
    filled += end - begin
  }
  return joined
}

/** Joins the bits of rows, and counts the bits that are set. */
function joinBits(
  parts: readonly ArrowRows[],
  length: number,
  bitOf: (data: ArrowData, row: number) => boolean,
): { bitmap: Uint8Array; set: number } {
  const bitmap = new Uint8Array(Math.ceil(length / 64) * 8)
  let [at, set] = [0, 0]
  for (const { data, begin, end } of parts) {
    for (let row = begin; row < end; row++, at++) {
      if (!bitOf(data, row)) continue
      bitmap[at >> 3]! |= 1 << (at & 7)
      set++
    }
  }
  return { bitmap, set }
}

function isSet(bitmap: Uint8Array, bit: number): boolean {
  return (bitmap[bit >> 3]! & (1 << (bit & 7))) !== 0
}
