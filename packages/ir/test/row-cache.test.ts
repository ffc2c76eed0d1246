/** Rows that threads load when they first need them. */
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toFloats } from '@kith/base/half'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type FileEmbeddings, openEmbeddings, writeEmbeddings } from '../src/index.ts'
import { RowCache, type SharedRows } from '../src/internal.ts'

const folder = temporaryFolder()
const opened: FileEmbeddings[] = []
afterAll(() => Promise.all(opened.map((embeddings) => embeddings.close())))

const rows = 40
const dimensions = 3
/** Numbers that f16 holds too. */
const values = Float32Array.from({ length: rows * dimensions }, (_, i) => ((i * 37) % 101) / 64)

/** Writes embeddings; returns their rows for threads. */
async function shared(name: string, memory?: number): Promise<SharedRows> {
  const file = join(folder, name)
  if (name.startsWith('double')) writeDoubles(file)
  else {
    const type = name.startsWith('half') ? 'f16' : 'f32'
    await writeEmbeddings(file, { dimensions, type }, [values])
  }
  const embeddings = await openEmbeddings(file, { memory, loadAtOnce: 0 })
  opened.push(embeddings)
  return embeddings.share()!
}

function writeDoubles(file: string): void {
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows}, ${dimensions}), }`
  const start = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${header.padEnd(117)}\n`, 'latin1')
  writeFileSync(file, Buffer.concat([start, Buffer.from(Float64Array.from(values).buffer)]))
}

/** Returns the numbers at a position in the memory. */
function numbersAt({ data }: SharedRows, position: number): Float32Array {
  const own = data.subarray(position * dimensions, (position + 1) * dimensions)
  if (own instanceof Float32Array) return Float32Array.from(own)
  const floats = new Float32Array(dimensions)
  toFloats(own, floats, 0)
  return floats
}

const rowOf = (row: number) => values.slice(row * dimensions, (row + 1) * dimensions)

describe.each(['single.npy', 'half.npy', 'double.npy', 'single.fvecs', 'half.safetensors'])(
  '%s',
  (name) => {
    test('loads rows in any order, once for all threads', async () => {
      const own = await shared(name)
      const wanted = Uint32Array.of(39, 0, 7, 0)
      const [first, second] = [new RowCache(own), new RowCache(own)]
      const positions = Array.from(first.load(wanted)!)
      expect(Array.from(second.load(wanted)!)).toEqual(positions)
      expect(positions[1]).toBe(positions[3])
      expect(own.loaded[0]).toBe(3)
      for (const [i, row] of wanted.entries()) {
        expect(numbersAt(own, positions[i]!)).toEqual(rowOf(row))
      }
      first.checkUnchanged()
    })

    test('reads rows without keeping them once the memory is full', async () => {
      const own = await shared(name, 3 * dimensions * 4)
      const cache = new RowCache(own)
      const room = own.data.length / dimensions
      const fitting = Uint32Array.from({ length: room }, (_, i) => rows - 1 - i)
      expect(cache.load(fitting)).toHaveLength(room)
      for (let i = 0; i < 5; i++) expect(cache.load(Uint32Array.of(0, 39))).toBeUndefined()
      expect(own.loaded[0]).toBe(room)
      const into = new Float32Array(2 * dimensions)
      cache.read(Uint32Array.of(0, 39), into)
      expect(into).toEqual(Float32Array.of(...rowOf(0), ...rowOf(39)))
      expect(cache.load(fitting)).toHaveLength(room)
    })
  },
)

test('refuses a file that has changed, or ends too early', async () => {
  const own = await shared('changed.npy')
  const cache = new RowCache(own)
  cache.load(Uint32Array.of(1))
  writeFileSync(own.layout.file, Buffer.alloc(200))
  utimesSync(own.layout.file, 1, 1)
  expect(() => cache.checkUnchanged()).toThrow('the file has changed since it was opened')
  expect(() => cache.load(Uint32Array.of(39))).toThrow('the file ends too early')
})

test('embeddings that are loaded whole have no rows for threads to load', async () => {
  const file = join(folder, 'whole.npy')
  await writeEmbeddings(file, { dimensions }, [values])
  await using embeddings = await openEmbeddings(file)
  expect(embeddings.share()).toBeUndefined()
})
