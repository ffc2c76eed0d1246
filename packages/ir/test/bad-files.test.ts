import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openEmbeddings, writeEmbeddings } from '../src/index.ts'
import { filesIn } from './support.ts'

const folder = temporaryFolder()
const fileOf = filesIn(folder)

function npy(text: string, bytes = 16): Buffer {
  const header = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${text.padEnd(117)}\n`, 'latin1')
  return Buffer.concat([header, Buffer.alloc(bytes)])
}

function safetensors(header: string, bytes = 16, length = header.length): Buffer {
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(BigInt(length))
  return Buffer.concat([start, Buffer.from(header), Buffer.alloc(bytes)])
}

function matrix(descr: string, shape: string, order = 'False'): string {
  return `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`
}

function tensor(dtype: string, shape: number[], range: number[]): string {
  return JSON.stringify({ a: { dtype, shape, data_offsets: range } })
}

const nan = Float32Array.of(1, 2, 3, Number.NaN)
const half = Uint16Array.of(0x3c00, 0x7c00)

describe('reading a bad embeddings file fails with its position', () => {
  test.for([
    ['short.npy', Buffer.from('\x93NUM', 'latin1'), 'byte 0: '],
    ['magic.npy', Buffer.from('not a NumPy file'), 'byte 0: '],
    ['version.npy', Buffer.from('\x93NUMPY\x09\x00\x10\x00\x00\x00', 'latin1'), 'byte 6: '],
    ['head.npy', Buffer.from('\x93NUMPY\x02\x00\xff\xff\xff\x7f', 'latin1'), '2147483647'],
    ['cut-head.npy', npy(matrix('<f4', '(2, 2)')).subarray(0, 60), 'byte 60'],
    ['cut.npy', npy(matrix('<f4', '(2, 2)'), 15), 'got 15'],
    ['long.npy', npy(matrix('<f4', '(2, 2)'), 17), 'got 17'],
    ['huge.npy', npy(matrix('<f4', '(500000, 1024)')), '2048000000 bytes'],
    ['vast.npy', npy(matrix('<f4', '(99999999999999999999, 4)')), 'expected the shape of a matrix'],
    ['int.npy', npy(matrix('<i4', '(2, 2)')), 'header: expected type <f2, <f4 or <f8, got <i4'],
    ['big-endian.npy', npy(matrix('>f4', '(2, 2)')), 'got >f4'],
    ['object.npy', npy(matrix('|O', '(2, 2)')), 'got |O'],
    ['fortran.npy', npy(matrix('<f4', '(2, 2)', 'True')), 'header: expected C order'],
    ['flat.npy', npy(matrix('<f4', '(4,)')), 'expected a shape of rows and columns, got (4,)'],
    [
      'spaces.npy',
      Buffer.concat([
        Buffer.from('\x93NUMPY\x02\x00\x00\x00\x01\x00', 'latin1'),
        Buffer.from(matrix('<f4', `(2, 2${' '.repeat(60_000)}x)`).padEnd(1 << 16)),
      ]),
      'expected a shape of rows and columns',
    ],
    ['cube.npy', npy(matrix('<f4', '(1, 2, 2)')), 'got (1, 2, 2)'],
    ['zero.npy', npy(matrix('<f4', '(2, 0)'), 0), 'expected the shape of a matrix, got 2 × 0'],
    [
      'nan.npy',
      Buffer.concat([npy(matrix('<f4', '(2, 2)'), 0), Buffer.from(nan.buffer)]),
      'row 1 column 1',
    ],
    [
      'inf.npy',
      Buffer.concat([npy(matrix('<f2', '(1, 2)'), 0), Buffer.from(half.buffer)]),
      'row 0 column 1',
    ],
    [
      'large.npy',
      Buffer.concat([npy(matrix('<f8', '(1, 1)'), 0), Buffer.from(Float64Array.of(1e300).buffer)]),
      'row 0 column 0: ',
    ],
    ['short.safetensors', Buffer.alloc(5), 'expected 8 bytes'],
    ['head.safetensors', safetensors('{}', 0, 2 ** 31), 'byte 0: '],
    ['cut.safetensors', safetensors('{}', 0, 50), 'byte 8: '],
    ['json.safetensors', safetensors('{"a"', 0), 'header: is not JSON'],
    ['null.safetensors', safetensors('null', 0), 'header: is not a JSON object'],
    ['list.safetensors', safetensors('{"a":1}', 0), 'header: is not a JSON object'],
    ['empty.safetensors', safetensors('{}', 0), 'expected one matrix, got no matrix'],
    [
      'bf16.safetensors',
      safetensors(tensor('BF16', [2, 2], [0, 8])),
      'tensor a: expected type F16',
    ],
    ['range.safetensors', safetensors(tensor('F32', [2, 2], [4, 20])), '4 to 20'],
    ['shape.safetensors', safetensors(tensor('F32', [2, 3], [0, 16])), '24 bytes'],
    [
      'huge.safetensors',
      safetensors(tensor('F32', [2 ** 29, 1], [0, 16])),
      'expected 2147483648 bytes',
    ],
    ['short.fvecs', Buffer.alloc(3), 'byte 0: expected 4 bytes'],
    ['zero.fvecs', Buffer.alloc(8), 'row 0 '],
    ['huge.fvecs', Buffer.from([255, 255, 255, 127, 0, 0, 0, 0]), 'cannot be divided into rows'],
    ['cut.fvecs', Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 1, 0]), '10 bytes'],
    ['mixed.fvecs', Buffer.from(Int32Array.of(1, 0, 2, 0).buffer), 'row 1: '],
    ['cut.parquet', Buffer.from('PAR1'), 'cut.parquet: '],
    ['foot.parquet', Buffer.from('PAR1\xff\xff\xff\x7fPAR1', 'latin1'), 'foot.parquet byte 4: '],
    ['no-id.jsonl', Buffer.from('{"vector": [1]}\n'), ':1: id must be a string or a number'],
    ['no-vector.jsonl', Buffer.from('{"id": "a"}\n'), ':1: vector must be a list of numbers'],
    ['text.jsonl', Buffer.from('{"id": "a", "vector": [1, "2"]}\n'), ':1 column 1: '],
    [
      'null.jsonl',
      Buffer.from('{"id": "a", "vector": [1, null]}\n'),
      ':1 column 1: expected a number',
    ],
    ['none.jsonl', Buffer.from('{"id": "a", "vector": []}\n'), ':1: '],
    [
      'uneven.jsonl',
      Buffer.from('{"id": "a", "vector": [1]}\n{"id": "b", "vector": [1, 2]}\n'),
      ':2: ',
    ],
    ['large.jsonl', Buffer.from('{"id": "a", "vector": [1, 1e39]}\n'), ':1 column 1: '],
    ['nan.jsonl', Buffer.from('{"id": "a", "vector": [NaN]}\n'), ':1: not JSON'],
    ['twice.jsonl', Buffer.from('{"id": 1, "vector": [1]}\n'.repeat(2)), 'row 1: '],
    ['empty.jsonl', Buffer.alloc(0), 'contains no vectors'],
    ['packed.npy.gz', Buffer.alloc(9), 'ends in .gz but is not gzip data'],
    ['cut.npy.gz', gzipSync(Buffer.from('\x93NUMPY', 'latin1')), 'byte 6'],
  ] as [string, Buffer, string][])('%s', async ([name, bytes, message]) => {
    const file = await fileOf(name, bytes)
    await expect(openEmbeddings(file)).rejects.toThrow(message)
    await expect(openEmbeddings(file)).rejects.toThrow(`${file}`)
  })

  test('checks rows that are read by position', async () => {
    const bytes = Buffer.concat([npy(matrix('<f4', '(2, 2)'), 0), Buffer.from(nan.buffer)])
    const embeddings = await openEmbeddings(await fileOf('disk.npy', bytes), { memory: 0 })
    expect([...embeddings.read(0, 1)]).toEqual([1, 2])
    expect(() => embeddings.gather([0, 1])).toThrow('disk.npy row 1 column 1')
  })

  test('refuses ids that do not fit the rows', async () => {
    const file = await fileOf('ids.npy', npy(matrix('<f4', '(2, 2)')))
    const ids = await fileOf('ids.ids.txt', 'a\nb\nc\n')
    await expect(openEmbeddings(file)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining(ids),
    })
    await fileOf('ids.ids.txt', 'a\na\n')
    await expect(openEmbeddings(file)).rejects.toThrow(`${ids}:2:`)
    await fileOf('ids.ids.txt', 'a\n\n')
    await expect(openEmbeddings(file)).rejects.toThrow(`${ids}:2:`)
  })

  test('names the problem in a memmap folder', async () => {
    const bad = join(folder, 'folder')
    await mkdir(bad)
    await expect(openEmbeddings(bad)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('ids.memmap'),
    })
    await fileOf('folder/ids.memmap', Buffer.alloc(12))
    await expect(openEmbeddings(bad)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('embedding.memmap'),
    })
    await fileOf('folder/embedding.memmap', Buffer.alloc(16))
    await expect(openEmbeddings(bad)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('embedding.memmap'),
    })
    await fileOf('folder/ids.memmap', Buffer.alloc(0))
    await expect(openEmbeddings(bad)).rejects.toMatchObject({ code: 'BAD_FILE' })
    await fileOf('folder/ids.memmap', Buffer.from(Int32Array.of(1, 2).buffer))
    await expect(openEmbeddings(bad, { dimensions: 3 })).rejects.toThrow('3 dimensions')
    await expect(openEmbeddings(bad, { dimensions: -2 })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    })
    const write = writeEmbeddings(bad, { dimensions: 1, ids: ['x'], format: 'memmap' }, [
      new Float32Array(1),
    ])
    await expect(write).rejects.toThrow(/row 0: .*"x"/)
  })

  test('refuses a file that must be loaded and exceeds the memory budget', async () => {
    const file = await fileOf('budget.jsonl', '{"id": 1, "vector": [1, 2, 3]}\n')
    await expect(openEmbeddings(file, { memory: 8 })).rejects.toMatchObject({ code: 'BAD_FILE' })
    await expect(openEmbeddings(file, { memory: -1 })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    })
  })
})
