import { FileError } from '@kith/base'
import { readTensorList, type StoredTensor, tensorHeader } from '@kith/base/safetensors'
import type { RawLayout } from './raw-rows.ts'

const types: Record<string, RawLayout['stored']> = { F16: 'f16', F32: 'f32', F64: 'f64' }

/** Reads the header of a safetensors file, for one matrix in it: by name, or the only one. */
export function safetensorsLayout(file: string, tensor: string | undefined): RawLayout {
  const { name, dtype, shape, offset } = choose(file, readTensorList(file), tensor)
  const place = `tensor ${name}`
  const stored = types[dtype]
  if (!stored) throw new FileError(file, place, `expected type F16, F32 or F64, found ${dtype}`)
  if (!isPair(shape)) throw new FileError(file, place, `expected a matrix, its shape is ${shape}`)
  const [rows, dimensions] = shape
  if (dimensions < 1) throw new FileError(file, '', `the shape is ${rows} × ${dimensions}`)
  return { file, offset, rows, dimensions, stored, counted: false }
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
  const embeddings = { name: 'embeddings', dtype, shape: [rows, dimensions], bytes }
  return tensorHeader([embeddings], { room: HEADER })
}

function choose(
  file: string,
  tensors: readonly StoredTensor[],
  wanted: string | undefined,
): StoredTensor {
  const namesOf = (some: readonly StoredTensor[]) => some.map(({ name }) => name).join(', ')
  if (wanted !== undefined) {
    const found = tensors.find(({ name }) => name === wanted)
    if (found) return found
    throw new FileError(file, '', `has no tensor ${wanted}, only ${namesOf(tensors)}`)
  }
  const matrices = tensors.filter(({ shape }) => isPair(shape))
  if (matrices.length === 1) return matrices[0]!
  const found = matrices.length === 0 ? 'no matrix' : `several: ${namesOf(matrices)}`
  throw new FileError(file, '', `expected one matrix, found ${found} (choose with \`tensor\`)`)
}

function isPair(shape: readonly number[]): shape is [number, number] {
  return shape.length === 2
}
