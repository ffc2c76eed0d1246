import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ColumnMetaData, SchemaElement } from 'hyparquet'
import { ByteWriter, type ColumnSource, parquetWriteFile } from 'hyparquet-writer'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openEmbeddings } from '../src/index.ts'
import { decodeVectors } from '../src/parquet/parquet-column.ts'
import { decodeHybrid, readPages } from '../src/parquet/parquet-pages.ts'
import { checkThrift } from '../src/parquet/thrift-check.ts'

const folder = temporaryFolder()

const vectors = Array.from({ length: 500 }, (_, i) => [i / 4, (i % 3) / 2, -1])
const names = vectors.map((_, i) => `d${i}`)

interface Shape {
  id?: Partial<SchemaElement>
  ids?: unknown[]
  number?: Partial<SchemaElement>
  list?: 'OPTIONAL' | 'REQUIRED'
  column?: Partial<ColumnSource>
  options?: Partial<Parameters<typeof parquetWriteFile>[0]>
}

async function written(name: string, shape: Shape) {
  const { id, ids = names, number, list = 'OPTIONAL', column, options } = shape
  const filename = join(folder, `${name}.parquet`)
  parquetWriteFile({
    filename,
    schema: [
      { name: 'root', num_children: 2 },
      {
        name: 'docid',
        type: 'BYTE_ARRAY',
        converted_type: 'UTF8',
        repetition_type: 'OPTIONAL',
        ...id,
      },
      { name: 'emb', num_children: 1, converted_type: 'LIST', repetition_type: list },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
      { name: 'element', type: 'FLOAT', repetition_type: list, ...number },
    ],
    columnData: [
      { name: 'docid', data: ids },
      { name: 'emb', data: vectors, ...column },
    ],
    ...options,
  })
  return filename
}

describe('Parquet files of other programs', () => {
  const shapes: [string, Shape][] = [
    ['plain', {}],
    ['required', { list: 'REQUIRED', id: { repetition_type: 'REQUIRED' } }],
    ['doubles', { number: { type: 'DOUBLE' } }],
    ['many-pages', { options: { pageSize: 512 } }],
    ['row-groups', { options: { rowGroupSize: 7 } }],
    ['dictionary', { column: { encoding: 'RLE_DICTIONARY' } }],
    ['streams', { column: { encoding: 'BYTE_STREAM_SPLIT' } }],
    ['uncompressed', { options: { codec: 'UNCOMPRESSED' } }],
    ['gzip', { options: { codec: 'GZIP', compressors: { GZIP: (bytes) => gzipSync(bytes) } } }],
  ]
  test.for(shapes)('%s', async ([name, shape]) => {
    const embeddings = await openEmbeddings(await written(name, shape))
    expect(embeddings).toMatchObject({ rows: 500, dimensions: 3, type: 'f32' })
    expect([...embeddings.read(0, 500)]).toEqual(vectors.flat())
    expect([embeddings.idOf(0), embeddings.rowOf('d499')]).toEqual(['d0', 499])
  })

  test('reads numbers as ids', async () => {
    const id = { type: 'INT64', converted_type: 'INT_64' } as const
    const ids = vectors.map((_, i) => BigInt(i) * 10_000_000_000n)
    const embeddings = await openEmbeddings(await written('int64', { id, ids }))
    expect(embeddings.rowOf('4990000000000')).toBe(499)
  })

  test('throws for missing values and wrong types', async () => {
    const holes = names.map((id, i) => (i === 3 ? null : id))
    await expect(openEmbeddings(await written('null-id', { ids: holes }))).rejects.toMatchObject({
      code: 'BAD_FILE',
    })
    const gap = vectors.map((row, i) => (i === 3 ? null : row))
    const missing = await written('null-vector', { column: { data: gap } })
    await expect(openEmbeddings(missing)).rejects.toMatchObject({ code: 'BAD_FILE' })
    const short = vectors.map((row, i) => (i === 3 ? [1] : row))
    const uneven = await written('uneven', { column: { data: short } })
    await expect(openEmbeddings(uneven)).rejects.toThrow('row 3')
    const whole = vectors.map((row) => row.map(Math.round))
    const ints = await written('ints', { number: { type: 'INT32' }, column: { data: whole } })
    await expect(openEmbeddings(ints)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('INT32'),
    })
    await expect(openEmbeddings(await written('budget', {}), { memory: 100 })).rejects.toThrow(
      'budget',
    )
  })
})

function page(header: object, body: Uint8Array): Buffer {
  const writer = new ByteWriter()
  serializeTCompactProtocol(writer, header as Parameters<typeof serializeTCompactProtocol>[1])
  return Buffer.concat([writer.getBytes(), body])
}

test('reads pages of version 1 whose rows continue on the next page', () => {
  const body = (repetition: number[], values: number[]) =>
    Buffer.concat([
      Buffer.from([2, 0, 0, 0, 3, repetition.reduce((bits, level, i) => bits | (level << i), 0)]),
      Buffer.from([2, 0, 0, 0, values.length * 2, 1]),
      Buffer.from(Float32Array.from(values).buffer),
    ])
  const pageOf = (repetition: number[], values: number[]) => {
    const bytes = body(repetition, values)
    const data = { field_1: values.length, field_2: 0, field_3: 3, field_4: 3 }
    return page({ field_1: 0, field_2: bytes.length, field_3: bytes.length, field_5: data }, bytes)
  }
  const bytes = Buffer.concat([pageOf([0, 1, 0], [1, 2, 3]), pageOf([1, 0, 1], [4, 5, 6])])
  const chunk = { codec: 'UNCOMPRESSED' } as ColumnMetaData
  const pages = readPages(bytes, chunk, { repetition: 1, definition: 1 }, 1000)
  expect([...decodeVectors(pages, { stored: 'FLOAT', length: 0 })]).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ])
})

test('decodes repeated and bit-packed numbers', () => {
  // The example of the Parquet specification: 0 to 7 in three bits each.
  expect([...decodeHybrid(Uint8Array.of(3, 0x88, 0xc6, 0xfa), 3, 8)]).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7,
  ])
  expect([...decodeHybrid(Uint8Array.of(6, 9), 4, 3)]).toEqual([9, 9, 9])
  expect([...decodeHybrid(Uint8Array.of(200, 1, 9), 4, 3)]).toEqual([9, 9, 9])
  expect([...decodeHybrid(Uint8Array.of(4, 1, 2, 3, 4), 32, 2)]).toEqual([0x04030201, 0x04030201])
  expect(() => decodeHybrid(Uint8Array.of(0, 0), 1, 3)).toThrow(
    'a repeated value at byte 1 has the length 0',
  )
  expect(() => decodeHybrid(Uint8Array.of(3, 0x88), 3, 8)).toThrow('packed numbers')
  expect(() => decodeHybrid(Uint8Array.of(6), 4, 3)).toThrow(
    'a repeated value at byte 1 has the length 3',
  )
  expect(() => decodeHybrid(Uint8Array.of(), 4, 3)).toThrow('end after 0 of 3')
})

test('refuses a Thrift list that is longer than the file', () => {
  expect(() => checkThrift(Buffer.from([0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0]), 0)).toThrow(
    'a list of 2147483647',
  )
  expect(() => checkThrift(Buffer.from([0x15]), 0)).toThrow('exceeds the file')
  expect(() => checkThrift(Buffer.alloc(100, 0x1c), 0)).toThrow('nested too deeply')
  expect(checkThrift(Buffer.from([0x15, 2, 0]), 0)).toBe(3)
})
