import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  readMetadata,
  readTensorBytes,
  readTensorList,
  readTensors,
  writeTensors,
} from '../src/safetensors.ts'

const folder = temporaryFolder()

/** A file with any header before 16 bytes of numbers. */
function withHeader(name: string, header: object): string {
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  const file = join(folder, name)
  writeFileSync(file, Buffer.concat([length, text, Buffer.alloc(16)]))
  return file
}

test('reads back tensors and metadata as they were written', async () => {
  const file = join(folder, 'several.safetensors')
  const weight = Float32Array.of(1.5, -2, 0.25, 8, 9, 10)
  const rows = Uint32Array.of(7, 2 ** 32 - 1)
  const flags = Uint8Array.of(1, 0, 1)
  await writeTensors(
    file,
    [
      { name: 'weight', shape: [2, 3], data: weight },
      { name: 'rows', shape: [2], dtype: 'U32', data: rows },
      { name: 'flags', shape: [3], dtype: 'BOOL', data: flags },
      { name: 'none', shape: [0, 4], data: new Float32Array() },
    ],
    { made: 'here' },
  )
  expect(readMetadata(file)).toEqual({ made: 'here' })
  const list = readTensorList(file)
  expect(list.map(({ name, dtype, shape, bytes }) => [name, dtype, shape, bytes])).toEqual([
    ['weight', 'F32', [2, 3], 24],
    ['rows', 'U32', [2], 8],
    ['flags', 'BOOL', [3], 3],
    ['none', 'F32', [0, 4], 0],
  ])
  expect(await readTensors(file, [list[0]!, list[3]!])).toEqual([weight, new Float32Array()])
  expect([...(await readTensorBytes(list[2]!))]).toEqual([1, 0, 1])
  await expect(readTensors(file, [list[1]!])).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('U32'),
  })
  // The numbers begin at a multiple of 8.
  expect(list[0]!.offset % 8).toBe(0)
  expect(readFileSync(file).length).toBe(list[0]!.offset + 35)
})

test('reads float16 and bfloat16 as float32', async () => {
  const file = join(folder, 'halves.safetensors')
  const bytes = (words: number[]) => new Uint8Array(Uint16Array.from(words).buffer)
  await writeTensors(file, [
    { name: 'f16', shape: [3], dtype: 'F16', data: bytes([0x3c00, 0xc000, 0x0001]) },
    { name: 'bf16', shape: [2], dtype: 'BF16', data: bytes([0x3fc0, 0xc000]) },
    { name: 'infinite', shape: [2], dtype: 'F16', data: bytes([0, 0x7c00]) },
  ])
  const [f16, bf16, infinite] = readTensorList(file)
  expect(await readTensors(file, [f16!, bf16!])).toEqual([
    Float32Array.of(1, -2, 2 ** -24),
    Float32Array.of(1.5, -2),
  ])
  await expect(readTensors(file, [infinite!])).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('infinite'),
  })
})

test.each([
  [{ a: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, 'got 4'],
  [{ a: { dtype: 'I64', shape: [2], data_offsets: [0, 12] } }, 'got 12'],
  [{ a: { dtype: 'F32', shape: [-1], data_offsets: [0, 4] } }, 'data_offsets'],
  [{ a: { dtype: 'F32', shape: [2], data_offsets: [8, 0] } }, '8 to 0'],
  [{ a: { dtype: 'F32', shape: [5], data_offsets: [0, 20] } }, 'the file may be truncated'],
  [
    {
      a: { dtype: 'F32', shape: [2], data_offsets: [4, 12] },
      b: { dtype: 'F32', shape: [2], data_offsets: [0, 8] },
    },
    'tensor a: shares bytes with tensor b',
  ],
  [{ a: 'F32' }, 'header: is not a JSON object'],
  [{ __metadata__: 1 }, 'header: is not a JSON object'],
])('refuses a header that contradicts its file: %j', (header, problem) => {
  expect(() => readTensorList(withHeader('bad.safetensors', header))).toThrow(problem)
})

test('lists tensors of unknown types and copies their bytes', async () => {
  const header = { a: { dtype: 'F8_E4M3', shape: [4], data_offsets: [0, 4] } }
  const [tensor] = readTensorList(withHeader('other.safetensors', header))
  expect(await readTensorBytes(tensor!)).toEqual(new Uint8Array(4))
})

test('throws if a file is truncated after its header was read', async () => {
  const file = join(folder, 'cut.safetensors')
  await writeTensors(file, [{ name: 'a', shape: [4], data: new Float32Array(4) }])
  const [tensor] = readTensorList(file)
  truncateSync(file, tensor!.offset + 3)
  await expect(readTensorBytes(tensor!)).rejects.toThrow(
    `byte ${tensor!.offset}: expected 16 bytes`,
  )
})
