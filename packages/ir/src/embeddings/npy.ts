import { FileError, Header } from '@kith/base'
import { type RawLayout, widthOf } from './raw-rows.ts'

const MAGIC = '\x93NUMPY'

/** A longer header describes no plain matrix. */
const LONGEST = 1 << 16

const types: Record<string, RawLayout['stored']> = { f2: 'f16', f4: 'f32', f8: 'f64' }

/** Reads the header of a NumPy file: a matrix of f2, f4 or f8 in C order. */
export function npyLayout(file: string): RawLayout {
  return Header.read(file, (header) => {
    const start = header.bytes(0, 12)
    if (start.toString('latin1', 0, 6) !== MAGIC) {
      throw new FileError(file, 'byte 0', 'does not start as a NumPy file does')
    }
    const version = start[6]!
    if (version < 1 || version > 3) throw new FileError(file, 'byte 6', `version ${version}`)
    const length = version === 1 ? start.readUInt16LE(8) : start.readUInt32LE(8)
    if (length > LONGEST) throw new FileError(file, 'byte 8', `a header of ${length} bytes`)
    const offset = (version === 1 ? 10 : 12) + length
    const text = header.bytes(offset - length, length).toString('utf8')
    const [rows, dimensions] = shapeOf(file, text)
    const stored = typeOf(file, text)
    if (!/'fortran_order'\s*:\s*False/.test(text)) {
      throw new FileError(file, 'header', 'expected C order (fortran_order False)')
    }
    header.checkData(rows, dimensions, widthOf(stored), header.size - offset)
    return { file, offset, rows, dimensions, stored, counted: false }
  })
}

/** The header of a NumPy file, always 128 bytes, so that it can be rewritten when rows are counted. */
export function npyHeader(rows: number, dimensions: number, type: 'f16' | 'f32'): Uint8Array {
  const descr = type === 'f16' ? '<f2' : '<f4'
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${rows}, ${dimensions}), }`
  const header = Buffer.from(`${MAGIC}\x01\x00\x76\x00${text.padEnd(117)}\n`, 'latin1')
  return header
}

function typeOf(file: string, text: string): RawLayout['stored'] {
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1]
  const type = descr && /^[<=]/.test(descr) ? types[descr.slice(1)] : undefined
  if (type) return type
  throw new FileError(file, 'header', `expected type <f2, <f4 or <f8, found ${descr ?? 'none'}`)
}

function shapeOf(file: string, text: string): [number, number] {
  const shape = /'shape'\s*:\s*\(([^()]*)\)/.exec(text)?.[1]
  const match = shape === undefined ? null : /^\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*)?$/.exec(shape)
  if (match) return [Number(match[1]), Number(match[2])]
  throw new FileError(
    file,
    'header',
    `expected a shape of rows and columns, found (${shape ?? ''})`,
  )
}
