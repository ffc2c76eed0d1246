import { FileError } from '../io/file-error.ts'
import { Header } from '../io/header.ts'
import { type RawLayout, widthOf } from './raw-rows.ts'

/** The format's own limit. */
const LONGEST = 100_000_000

const types: Record<string, RawLayout['stored']> = { F16: 'f16', F32: 'f32', F64: 'f64' }

/** Reads the header of a safetensors file, for one matrix in it: by name, or the only one. */
export function safetensorsLayout(file: string, tensor: string | undefined): RawLayout {
  return Header.read(file, (header) => {
    const claimed = header.bytes(0, 8).readBigUInt64LE()
    if (claimed > LONGEST) throw new FileError(file, 'byte 0', `a header of ${claimed} bytes`)
    const length = Number(claimed)
    const tensors = parse(file, header.bytes(8, length).toString('utf8'))
    const name = choose(file, tensors, tensor)
    const { dtype, shape, data_offsets: range } = tensors[name]!
    const place = `tensor ${name}`
    const stored = types[String(dtype)]
    if (!stored) throw new FileError(file, place, `expected type F16, F32 or F64, found ${dtype}`)
    if (!isPair(shape)) throw new FileError(file, place, `expected a matrix, its shape is ${shape}`)
    const [rows, dimensions] = shape
    const offset = 8 + length
    if (!isPair(range) || range[0] > range[1] || offset + range[1] > header.size) {
      throw new FileError(file, place, `bytes ${range} are outside of the file`)
    }
    header.checkData(rows, dimensions, widthOf(stored), range[1] - range[0])
    return { file, offset: offset + range[0], rows, dimensions, stored, counted: false }
  })
}

/** Room for the header that `safetensorsHeader` makes, so that it can be rewritten at the end. */
const HEADER = 200

/** The header of a safetensors file with the one tensor `embeddings`. */
export function safetensorsHeader(
  rows: number,
  dimensions: number,
  type: 'f16' | 'f32',
): Uint8Array {
  const bytes = rows * dimensions * (type === 'f16' ? 2 : 4)
  const dtype = type === 'f16' ? 'F16' : 'F32'
  const embeddings = { dtype, shape: [rows, dimensions], data_offsets: [0, bytes] }
  const header = Buffer.alloc(8 + HEADER, ' ')
  header.writeBigUInt64LE(BigInt(HEADER))
  header.write(JSON.stringify({ embeddings }), 8)
  return header
}

type Tensors = Record<string, Record<string, unknown>>

function parse(file: string, text: string): Tensors {
  let tensors: Tensors
  try {
    tensors = JSON.parse(text)
  } catch {
    throw new FileError(file, 'header', 'is not JSON')
  }
  const isObject = (value: unknown) => typeof value === 'object' && value !== null
  if (!isObject(tensors) || !Object.values(tensors).every(isObject)) {
    throw new FileError(file, 'header', 'does not describe tensors')
  }
  return tensors
}

function choose(file: string, tensors: Tensors, wanted: string | undefined): string {
  const names = Object.keys(tensors).filter((name) => name !== '__metadata__')
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted
    throw new FileError(file, '', `has no tensor ${wanted}, only ${names.join(', ')}`)
  }
  const matrices = names.filter((name) => isPair(tensors[name]!['shape']))
  if (matrices.length === 1) return matrices[0]!
  const found = matrices.length === 0 ? 'no matrix' : `several: ${matrices.join(', ')}`
  throw new FileError(file, '', `expected one matrix, found ${found} (choose with \`tensor\`)`)
}

function isPair(value: unknown): value is [number, number] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((n) => Number.isSafeInteger(n) && n >= 0)
  )
}
