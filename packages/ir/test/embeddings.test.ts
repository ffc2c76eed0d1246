import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openEmbeddings, writeEmbeddings } from '../src/index.ts'
import { filesIn, sharedData } from './support.ts'

const folder = temporaryFolder()
const fileOf = filesIn(folder)

const rows = 300
const dimensions = 5
/** Numbers that f16 holds too. */
const values = Float32Array.from(
  { length: rows * dimensions },
  (_, i) => ((i * 37) % 101) / 64 - 0.5,
)
const ids = Array.from({ length: rows }, (_, i) => String(i * 3 - 1))

/** The values in blocks of uneven size, the array used again for each: a writer must copy. */
function* blocks(): Generator<Float32Array> {
  const buffer = new Float32Array(64 * dimensions)
  for (let row = 0; row < rows; row += 64) {
    const part = values.subarray(row * dimensions, Math.min(rows, row + 64) * dimensions)
    buffer.set(part)
    yield buffer.subarray(0, part.length)
  }
}

const formats: [string, 'f16' | 'f32'][] = [
  ['docs.npy', 'f32'],
  ['half.npy', 'f16'],
  ['docs.safetensors', 'f32'],
  ['half.safetensors', 'f16'],
  ['docs.fvecs', 'f32'],
  ['docs.parquet', 'f32'],
  ['half.parquet', 'f16'],
  ['docs.jsonl', 'f32'],
  ['docs.jsonl.gz', 'f32'],
  ['packed.npy.gz', 'f16'],
  ['packed.safetensors.gz', 'f32'],
  ['packed.fvecs.gz', 'f32'],
  ['packed.parquet.gz', 'f32'],
  ['docs.memmap', 'f32'],
]

describe.each(formats)('%s as %s', (name, type) => {
  const file = join(folder, name)
  const write = (given: Iterable<string> | undefined) =>
    writeEmbeddings(file, { dimensions, type, ids: given }, blocks())

  test('reads back its rows, in memory and by position', async () => {
    await write(ids)
    for (const memory of [undefined, 0]) {
      if (memory === 0 && /parquet|jsonl/.test(name)) continue
      const embeddings = await openEmbeddings(file, { memory })
      expect(embeddings).toMatchObject({ rows, dimensions, type })
      expect(embeddings.read(0, rows)).toEqual(values)
      expect(embeddings.read(7, 9)).toEqual(values.subarray(35, 45))
      expect(embeddings.read(3, 3).length).toBe(0)
      const gathered = embeddings.gather([299, 0, 0])
      expect(gathered.subarray(0, 5)).toEqual(values.subarray(1495))
      expect(gathered.subarray(10)).toEqual(values.subarray(0, 5))
      const into = new Float32Array(20).fill(9)
      expect(embeddings.gather([1, 2], into)).toEqual(values.subarray(5, 15))
      expect(into[10]).toBe(9)
      expect([embeddings.idOf(0), embeddings.idOf(299)]).toEqual(['-1', '896'])
      expect([embeddings.rowOf('896'), embeddings.rowOf('7')]).toEqual([299, undefined])
      expect(() => embeddings.read(0, rows + 1)).toThrow(
        expect.objectContaining({ code: 'BAD_SHAPE', message: expect.stringContaining('301') }),
      )
      expect(() => embeddings.gather([rows])).toThrow(
        expect.objectContaining({ code: 'BAD_SHAPE', message: expect.stringContaining('300') }),
      )
      expect(() => embeddings.idOf(-1)).toThrow(expect.objectContaining({ code: 'BAD_SHAPE' }))
      expect(() => embeddings.read(0, 2, new Float32Array(9))).toThrow('room for 10 numbers, got 9')
      if (memory === 0) expect(embeddings.memory).toBeUndefined()
      else {
        expect(embeddings.memory!.buffer).toBeInstanceOf(SharedArrayBuffer)
        expect(embeddings.memory).toBeInstanceOf(type === 'f16' ? Uint16Array : Float32Array)
      }
      embeddings.close()
      embeddings.close()
      if (memory === 0)
        expect(() => embeddings.read(0, 1)).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    }
  })

  test('numbers rows without ids, and removes the ids of an older file', async () => {
    await write(ids)
    await write(undefined)
    const embeddings = await openEmbeddings(file)
    expect([embeddings.idOf(299), embeddings.rowOf('299')]).toEqual(['299', 299])
    expect([embeddings.rowOf('300'), embeddings.rowOf('07'), embeddings.rowOf('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(existsSync(join(folder, name.replace(/\.[^.]*$/, '.ids.txt')))).toBe(false)
  })

  test('writes nothing if ids, rows or numbers are wrong', async () => {
    await write(undefined)
    await expect(write(ids.slice(1))).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('299'),
    })
    await expect(write([...ids, 'x'])).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('300'),
    })
    const options = { dimensions, type }
    const uneven = writeEmbeddings(file, options, [new Float32Array(7)])
    await expect(uneven).rejects.toMatchObject({ code: 'BAD_SHAPE' })
    const bad = new Float32Array(10)
    bad[7] = Number.NaN
    await expect(writeEmbeddings(file, options, [bad])).rejects.toThrow('row 1 column 2')
    expect((await openEmbeddings(file)).rows).toBe(rows)
  })

  test('checks the number of dimensions', async () => {
    await write(undefined)
    await expect(openEmbeddings(file, { dimensions: 7 })).rejects.toThrow(FileError)
  })
})

describe('formats of embeddings', () => {
  test('writes and reads the header of NumPy', async () => {
    const file = join(folder, 'numpy.npy')
    await writeEmbeddings(file, { dimensions }, blocks())
    const bytes = readFileSync(file)
    expect(bytes.length).toBe(128 + rows * dimensions * 4)
    expect(bytes.toString('latin1', 0, 10)).toBe('\x93NUMPY\x01\x00\x76\x00')
    expect(bytes.toString('latin1', 10, 128).trimEnd()).toBe(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (300, 5), }",
    )
    expect(bytes[127]).toBe(10)
  })

  test('reads f8 as f32, and headers of version 2', async () => {
    const text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }".padEnd(79)
    const head = Buffer.from(`\x93NUMPY\x02\x00\x50\x00\x00\x00${text}\n`, 'latin1')
    const data = Buffer.from(Float64Array.of(1, 2, 0.1, -4).buffer)
    const file = await fileOf('double.npy', Buffer.concat([head, data]))
    for (const memory of [1000, 0]) {
      const embeddings = await openEmbeddings(file, { memory })
      expect(embeddings.type).toBe('f32')
      expect([...embeddings.read(0, 2)]).toEqual([1, 2, Math.fround(0.1), -4])
    }
  })

  test('opens a tensor by name', async () => {
    const tensors = {
      __metadata__: { format: 'pt' },
      bias: { dtype: 'F32', shape: [2], data_offsets: [0, 8] },
      b: { dtype: 'F32', shape: [1, 2], data_offsets: [8, 16] },
      a: { dtype: 'F32', shape: [2, 1], data_offsets: [16, 24] },
    }
    const header = Buffer.from(JSON.stringify(tensors))
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(header.length))
    const data = Buffer.from(Float32Array.of(9, 9, 1, 2, 3, 4).buffer)
    const file = await fileOf('several.safetensors', Buffer.concat([length, header, data]))
    expect([...(await openEmbeddings(file, { tensor: 'a' })).read(0, 2)]).toEqual([3, 4])
    expect([...(await openEmbeddings(file, { tensor: 'b' })).read(0, 1)]).toEqual([1, 2])
    await expect(openEmbeddings(file)).rejects.toThrow('several: b, a')
    await expect(openEmbeddings(file, { tensor: 'c' })).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('bias'),
    })
    await expect(openEmbeddings(file, { tensor: 'bias' })).rejects.toMatchObject({
      code: 'BAD_FILE',
    })
  })

  test('opens columns by name', async () => {
    const file = await fileOf(
      'columns.jsonl',
      '{"key": 7, "v": [1, 2]}\n{"key": "x", "v": [3, 4]}\n',
    )
    const embeddings = await openEmbeddings(file, { idColumn: 'key', vectorColumn: 'v' })
    expect([embeddings.idOf(0), embeddings.rowOf('x')]).toEqual(['7', 1])
    const parquet = join(folder, 'columns.parquet')
    await writeEmbeddings(parquet, { dimensions: 1 }, [new Float32Array(2)])
    await expect(openEmbeddings(parquet, { vectorColumn: 'v' })).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('vector'),
    })
  })

  test('detects the format by the contents if the extension is unknown', async () => {
    for (const name of ['docs.npy', 'docs.safetensors', 'docs.parquet', 'docs.jsonl']) {
      const file = join(folder, name)
      await writeEmbeddings(file, { dimensions }, blocks())
      const renamed = await fileOf(`${name}.unknown`, readFileSync(file))
      expect((await openEmbeddings(renamed)).read(0, rows)).toEqual(values)
    }
    const fvecs = await fileOf('vectors.bin', new Uint8Array(Float32Array.of(0, 5).buffer))
    await expect(openEmbeddings(fvecs)).rejects.toMatchObject({ code: 'BAD_FILE' })
    await expect(openEmbeddings(fvecs, { format: 'x' as never })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    })
    await expect(
      writeEmbeddings(join(folder, 'new'), { dimensions }, blocks()),
    ).rejects.toMatchObject({ code: 'BAD_FILE', message: expect.stringContaining('.npy') })
  })

  test('refuses numbers that f16 cannot hold', async () => {
    const write = (name: string) =>
      writeEmbeddings(join(folder, name), { dimensions: 1, type: 'f16' }, [Float32Array.of(1e5)])
    await expect(write('large.npy')).rejects.toThrow('large.npy row 0 column 0')
    await expect(write('large.fvecs')).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('fvecs'),
    })
    await expect(write('large.parquet')).rejects.toThrow('row 0 column 0')
  })

  test('writes and reads a file without rows', async () => {
    const file = join(folder, 'none.npy')
    await writeEmbeddings(file, { dimensions: 3 }, [])
    expect(await openEmbeddings(file)).toMatchObject({ rows: 0, dimensions: 3 })
  })
})

const data = sharedData()

test.skipIf(!data)('reads the same real embeddings in memory and by position', async () => {
  const file = join(data!, 'cranfield/embeddings/all-MiniLM-L6-v2/docs.npy')
  const memory = await openEmbeddings(file)
  const disk = await openEmbeddings(file, { memory: 1 << 20 })
  expect(memory).toMatchObject({ rows: 1400, dimensions: 384 })
  const bytes = (embeddings: typeof memory) => Buffer.from(embeddings.read(0, 1400).buffer)
  expect(bytes(disk).equals(bytes(memory))).toBe(true)
  expect(disk.rowOf(memory.idOf(1399))).toBe(1399)
  disk.close()
})

describe('names of embeddings files', () => {
  const four = Float32Array.of(1, 2, 3, 4)

  test.for(['npy', 'safetensors'] as const)(
    'finds the ids of %s without an extension',
    async (format) => {
      const file = join(folder, `plain-${format}`)
      await writeEmbeddings(file, { dimensions: 2, ids: ['a', 'b'], format }, [four])
      const embeddings = await openEmbeddings(file)
      expect(embeddings.idOf(1)).toBe('b')
      expect([...embeddings.read(0, 2)]).toEqual([1, 2, 3, 4])
      rmSync(`${file}.ids.txt`)
      expect((await openEmbeddings(file)).idOf(1)).toBe('1')
    },
  )

  test.for(['npy', 'safetensors', 'fvecs', 'parquet', 'jsonl'])('packs .%s.GZ', async (ending) => {
    const file = join(folder, `capitals.${ending}.GZ`)
    await writeEmbeddings(file, { dimensions: 2, ids: ['a', 'b'] }, [four])
    expect([...readFileSync(file).subarray(0, 2)]).toEqual([0x1f, 0x8b])
    expect([...(await openEmbeddings(file)).read(0, 2)]).toEqual([1, 2, 3, 4])
    const unnamed = await fileOf(`capitals-${ending}.${ending}`, readFileSync(file))
    expect([...(await openEmbeddings(unnamed)).read(0, 2)]).toEqual([1, 2, 3, 4])
  })
})

test('closes the rows of a file at the end of the `using` block, and refuses later reads', async () => {
  const file = join(folder, 'using.npy')
  await writeEmbeddings(file, { dimensions: 2, ids: ['a'] }, [Float32Array.of(1, 2)])
  let kept: Awaited<ReturnType<typeof openEmbeddings>>
  {
    await using opened = await openEmbeddings(file, { memory: 0 })
    kept = opened
    expect([...opened.read(0, 1)]).toEqual([1, 2])
  }
  expect(() => kept.read(0, 1)).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  await kept.close()
})

test('refuses rows of a file that another program has written to since it was opened', async () => {
  const file = join(folder, 'written.npy')
  await writeEmbeddings(file, { dimensions: 2, ids: ['a'] }, [Float32Array.of(1, 2)])
  await using opened = await openEmbeddings(file, { memory: 0 })
  expect([...opened.gather([0])]).toEqual([1, 2])
  // The same inode, so that the open file changes.
  writeFileSync(file, readFileSync(file).fill(0, 132))
  // Some file systems keep times in seconds.
  utimesSync(file, new Date(), new Date(Date.now() + 5000))
  expect(() => opened.gather([0])).toThrow(FileError)
  expect(() => opened.read(0, 1)).toThrow(/written\.npy.*open it again/)
})
