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

describe('a bad file of embeddings is an error with its place', () => {
  test.for([
    [
      'short.npy',
      Buffer.from('\x93NUM', 'latin1'),
      'byte 0: needs 12 bytes here, the file ends at byte 4',
    ],
    ['magic.npy', Buffer.from('not a NumPy file'), 'byte 0: does not start as a NumPy file does'],
    [
      'version.npy',
      Buffer.from('\x93NUMPY\x09\x00\x10\x00\x00\x00', 'latin1'),
      'byte 6: version 9',
    ],
    [
      'head.npy',
      Buffer.from('\x93NUMPY\x02\x00\xff\xff\xff\x7f', 'latin1'),
      'a header of 2147483647',
    ],
    ['cut-head.npy', npy(matrix('<f4', '(2, 2)')).subarray(0, 60), 'the file ends at byte 60'],
    [
      'cut.npy',
      npy(matrix('<f4', '(2, 2)'), 15),
      '2 × 2 numbers of 4 bytes are 16 bytes, the file has 15',
    ],
    ['long.npy', npy(matrix('<f4', '(2, 2)'), 17), 'are 16 bytes, the file has 17'],
    ['huge.npy', npy(matrix('<f4', '(500000, 1024)')), 'are 2048000000 bytes, the file has 16'],
    ['vast.npy', npy(matrix('<f4', '(99999999999999999999, 4)')), 'the shape is'],
    ['int.npy', npy(matrix('<i4', '(2, 2)')), 'header: expected type <f2, <f4 or <f8, found <i4'],
    ['big-endian.npy', npy(matrix('>f4', '(2, 2)')), 'found >f4'],
    ['object.npy', npy(matrix('|O', '(2, 2)')), 'found |O'],
    ['fortran.npy', npy(matrix('<f4', '(2, 2)', 'True')), 'header: expected C order'],
    ['flat.npy', npy(matrix('<f4', '(4,)')), 'expected a shape of rows and columns, found (4,)'],
    [
      'spaces.npy',
      Buffer.concat([
        Buffer.from('\x93NUMPY\x02\x00\x00\x00\x01\x00', 'latin1'),
        Buffer.from(matrix('<f4', `(2, 2${' '.repeat(60_000)}x)`).padEnd(1 << 16)),
      ]),
      'expected a shape of rows and columns',
    ],
    ['cube.npy', npy(matrix('<f4', '(1, 2, 2)')), 'found (1, 2, 2)'],
    ['zero.npy', npy(matrix('<f4', '(2, 0)'), 0), 'the shape is 2 × 0'],
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
      'row 0 column 0: the number is not finite in float32',
    ],
    ['short.safetensors', Buffer.alloc(5), 'needs 8 bytes here'],
    ['head.safetensors', safetensors('{}', 0, 2 ** 31), 'byte 0: a header of 2147483648 bytes'],
    [
      'cut.safetensors',
      safetensors('{}', 0, 50),
      'byte 8: needs 50 bytes here, the file ends at byte 10',
    ],
    ['json.safetensors', safetensors('{"a"', 0), 'header: is not JSON'],
    ['null.safetensors', safetensors('null', 0), 'header: does not describe tensors'],
    ['list.safetensors', safetensors('{"a":1}', 0), 'header: does not describe tensors'],
    ['empty.safetensors', safetensors('{}', 0), 'expected one matrix, found no matrix'],
    [
      'bf16.safetensors',
      safetensors(tensor('BF16', [2, 2], [0, 8])),
      'tensor a: expected type F16',
    ],
    ['range.safetensors', safetensors(tensor('F32', [2, 2], [4, 20])), 'bytes 4 to 20 are outside'],
    [
      'shape.safetensors',
      safetensors(tensor('F32', [2, 3], [0, 16])),
      'are 24 bytes, the file has 16',
    ],
    ['huge.safetensors', safetensors(tensor('F32', [2 ** 29, 1], [0, 16])), 'are 2147483648 bytes'],
    ['short.fvecs', Buffer.alloc(3), 'byte 0: needs 4 bytes'],
    ['zero.fvecs', Buffer.alloc(8), 'the first row has 0 dimensions'],
    ['huge.fvecs', Buffer.from([255, 255, 255, 127, 0, 0, 0, 0]), 'are no whole number of rows'],
    [
      'cut.fvecs',
      Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
      '10 bytes are no whole number of rows of 1',
    ],
    [
      'mixed.fvecs',
      Buffer.from(Int32Array.of(1, 0, 2, 0).buffer),
      'row 1: has 2 dimensions, the first row 1',
    ],
    ['cut.parquet', Buffer.from('PAR1'), 'cut.parquet: '],
    [
      'foot.parquet',
      Buffer.from('PAR1\xff\xff\xff\x7fPAR1', 'latin1'),
      'foot.parquet byte 4: a footer of',
    ],
    ['no-id.jsonl', Buffer.from('{"vector": [1]}\n'), 'line 1: expected id, a string or a number'],
    ['no-vector.jsonl', Buffer.from('{"id": "a"}\n'), 'line 1: expected vector, a list of numbers'],
    [
      'text.jsonl',
      Buffer.from('{"id": "a", "vector": [1, "2"]}\n'),
      'line 1 column 1: expected a number, found 2',
    ],
    [
      'null.jsonl',
      Buffer.from('{"id": "a", "vector": [1, null]}\n'),
      'line 1 column 1: expected a number',
    ],
    [
      'none.jsonl',
      Buffer.from('{"id": "a", "vector": []}\n'),
      'line 1: the vector has 0 dimensions',
    ],
    [
      'uneven.jsonl',
      Buffer.from('{"id": "a", "vector": [1]}\n{"id": "b", "vector": [1, 2]}\n'),
      'line 2: the vector has 2 dimensions, the first one 1',
    ],
    [
      'large.jsonl',
      Buffer.from('{"id": "a", "vector": [1, 1e39]}\n'),
      'line 1 column 1: the number is not finite',
    ],
    ['nan.jsonl', Buffer.from('{"id": "a", "vector": [NaN]}\n'), 'line 1: not JSON'],
    [
      'twice.jsonl',
      Buffer.from('{"id": 1, "vector": [1]}\n'.repeat(2)),
      'row 1: the id 1 was in row 0 already',
    ],
    ['empty.jsonl', Buffer.alloc(0), 'holds no vectors'],
    ['packed.npy.gz', Buffer.alloc(9), 'ends in .gz, but is not packed'],
    ['cut.npy.gz', gzipSync(Buffer.from('\x93NUMPY', 'latin1')), 'the file ends at byte 6'],
  ] as [string, Buffer, string][])('%s', async ([name, bytes, message]) => {
    const file = await fileOf(name, bytes)
    await expect(openEmbeddings(file)).rejects.toThrow(message)
    await expect(openEmbeddings(file)).rejects.toThrow(`${file}`)
  })

  test('rows read by position are checked too', async () => {
    const bytes = Buffer.concat([npy(matrix('<f4', '(2, 2)'), 0), Buffer.from(nan.buffer)])
    const embeddings = await openEmbeddings(await fileOf('disk.npy', bytes), { memory: 0 })
    expect([...embeddings.read(0, 1)]).toEqual([1, 2])
    expect(() => embeddings.gather([0, 1])).toThrow('disk.npy row 1 column 1')
  })

  test('ids that do not fit', async () => {
    const file = await fileOf('ids.npy', npy(matrix('<f4', '(2, 2)')))
    const ids = await fileOf('ids.ids.txt', 'a\nb\nc\n')
    await expect(openEmbeddings(file)).rejects.toThrow(`${ids}: has 3 ids, ${file} has 2 rows`)
    await fileOf('ids.ids.txt', 'a\na\n')
    await expect(openEmbeddings(file)).rejects.toThrow(
      `${ids} line 2: the id a was in line 1 already`,
    )
    await fileOf('ids.ids.txt', 'a\n\n')
    await expect(openEmbeddings(file)).rejects.toThrow(`${ids} line 2: the id is empty`)
  })

  test('memmap folders', async () => {
    const bad = join(folder, 'folder')
    await mkdir(bad)
    await expect(openEmbeddings(bad)).rejects.toThrow('ids.memmap: there is no')
    await fileOf('folder/ids.memmap', Buffer.alloc(12))
    await expect(openEmbeddings(bad)).rejects.toThrow('embedding.memmap: there is no')
    await fileOf('folder/embedding.memmap', Buffer.alloc(16))
    await expect(openEmbeddings(bad)).rejects.toThrow(
      /embedding\.memmap: 16 bytes are not as many float32 vectors .* as .*ids\.memmap has ids, 3$/,
    )
    await fileOf('folder/ids.memmap', Buffer.alloc(0))
    await expect(openEmbeddings(bad)).rejects.toThrow(/has ids, 0$/)
    await fileOf('folder/ids.memmap', Buffer.from(Int32Array.of(1, 2).buffer))
    await expect(openEmbeddings(bad, { dimensions: 3 })).rejects.toThrow('has 2 dimensions, not 3')
    await expect(openEmbeddings(bad, { dimensions: -2 })).rejects.toThrow('dimensions is -2')
    const write = writeEmbeddings(bad, { dimensions: 1, ids: ['x'], format: 'memmap' }, [
      new Float32Array(1),
    ])
    await expect(write).rejects.toThrow('row 0: the id "x" is no int32')
  })

  test('what can only be loaded must fit the budget', async () => {
    const file = await fileOf('budget.jsonl', '{"id": 1, "vector": [1, 2, 3]}\n')
    await expect(openEmbeddings(file, { memory: 8 })).rejects.toThrow('memory budget of 8 bytes')
    await expect(openEmbeddings(file, { memory: -1 })).rejects.toThrow('memory is -1')
  })
})
