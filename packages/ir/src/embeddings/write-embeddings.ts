import { rm } from 'node:fs/promises'
import {
  FileError,
  type PreparedFile,
  prepareAtomic,
  prepareHeaded,
  unpackedName,
  type Write,
  writeAtomic,
} from '@kith/base'
import { notFinite, toHalves } from '@kith/base/half'
import { KithError } from '@kith/core'
import {
  type EmbeddingFormat,
  formatByEnding,
  fvecsRows,
  memmapFiles,
  memmapIds,
  npyHeader,
  safetensorsHeader,
  unknownFormat,
} from './embedding-formats.ts'
import { idsFile } from './embedding-ids.ts'
import { formatJsonVector } from './vectors-jsonl.ts'

/** Dimensions, ids and format of the rows to write. */
export interface WriteEmbeddingsOptions {
  dimensions: number
  /** One id per row; without them, rows are numbered. */
  ids?: Iterable<string> | AsyncIterable<string> | undefined
  /**
   * The type of the numbers. f16 takes half the space; `.fvecs`, JSONL and memmap folders support
   * f32 only.
   */
  type?: 'f16' | 'f32' | undefined
  /** The format, if the extension does not determine it. */
  format?: EmbeddingFormat | undefined
}

/** A file to write: its path, its options, and its rows. */
interface Job {
  file: string
  dimensions: number
  type: 'f16' | 'f32'
  named: boolean
  blocks: AsyncIterable<RowBlock>
}

/**
 * Writes embeddings from arrays of one or more whole rows. The ids of `docs.npy`, `.safetensors`
 * and `.fvecs` go to `docs.ids.txt` beside the file.
 *
 * ```ts
 * await writeEmbeddings('docs.npy', { dimensions: 2, ids: ['d1'] }, [Float32Array.of(1, 0)])
 * ```
 */
export async function writeEmbeddings(
  file: string,
  { dimensions, ids, type = 'f32', format = formatByEnding(file) }: WriteEmbeddingsOptions,
  rows: Iterable<Float32Array> | AsyncIterable<Float32Array>,
): Promise<void> {
  if (!Number.isSafeInteger(dimensions) || dimensions < 1) {
    throw new KithError(
      'BAD_SETTING',
      `dimensions must be a whole number of at least 1, got ${dimensions}`,
    )
  }
  if (type !== 'f16' && type !== 'f32') {
    throw new KithError('BAD_SETTING', `type must be f16 or f32, got ${type}`)
  }
  const writer = format && writers[format]
  if (!writer) throw unknownFormat(format, file)
  if (type === 'f16' && ['fvecs', 'jsonl', 'memmap'].includes(format)) {
    throw new KithError('BAD_SETTING', `the format ${format} supports only type f32, got f16`)
  }
  const blocks = rowBlocks(file, dimensions, rows, ids, type)
  const job = { file, dimensions, type, named: ids !== undefined, blocks }
  await writer(job)
}

const writers: Record<EmbeddingFormat, (job: Job) => Promise<void>> = {
  npy: (job) => writeRaw(job, npyHeader),
  safetensors: (job) => writeRaw(job, safetensorsHeader),
  fvecs: (job) => writeRaw(job),

  async jsonl({ file, dimensions, blocks }) {
    await writeAtomic(file, async (write) => {
      for await (const { values, ids } of blocks) {
        for (const [i, id] of ids.entries()) {
          const row = values.subarray(i * dimensions, (i + 1) * dimensions)
          await write(formatJsonVector(id, row))
        }
      }
    })
  },

  async parquet({ file, dimensions, type, blocks }) {
    // Loaded here, since most programs do not write Parquet, and its libraries have many files.
    const { ParquetVectors } = await import('../parquet/parquet-writer.ts')
    await writeAtomic(file, async (write) => {
      const parquet = new ParquetVectors(write, type)
      for await (const { values, ids } of blocks) await parquet.write(ids, values, dimensions)
      await parquet.finish()
    })
  },

  async memmap({ file, blocks }) {
    const { vectors, ids: idFile } = memmapFiles(file)
    await writeWithIds(idFile, (writeIds) =>
      prepareAtomic(vectors, async (write) => {
        for await (const { values, ids } of blocks) {
          await writeIds(memmapIds(idFile, ids))
          await write(encode(values, 'f32'))
        }
      }),
    )
  },
}

/** Writes rows of fixed length after a header, which is completed when the rows are counted. */
async function writeRaw(
  { file, dimensions, type, named, blocks }: Job,
  header?: (rows: number, dimensions: number, type: 'f16' | 'f32') => Uint8Array,
): Promise<void> {
  let rows = 0
  const each = async (write: Write, writeIds?: Write): Promise<void> => {
    for await (const { values, ids } of blocks) {
      await write(header ? encode(values, type) : fvecsRows(values, dimensions))
      if (writeIds) await writeIds(ids.map((id) => `${checkedId(file, id)}\n`).join(''))
      rows += ids.length
    }
  }
  const writeRows = (writeIds?: Write): Promise<PreparedFile> => {
    if (!header) return prepareAtomic(file, (write) => each(write, writeIds))
    return prepareHeaded(file, async (write) => {
      await write(header(0, dimensions, type))
      await each(write, writeIds)
      return header(rows, dimensions, type)
    })
  }
  const ids = idsFile(unpackedName(file))
  if (named) await writeWithIds(ids, writeRows)
  else {
    await (await writeRows()).commit()
    // The ids of an older file with this name would be read as the ids of this file.
    if (ids !== file) await rm(ids, { force: true })
  }
}

/** Writes rows and their ids: both replace older files, or neither does. */
async function writeWithIds(
  idFile: string,
  writeRows: (writeIds: Write) => Promise<PreparedFile>,
): Promise<void> {
  let rows: PreparedFile | undefined
  let ids: PreparedFile | undefined
  try {
    ids = await prepareAtomic(idFile, async (writeIds) => {
      rows = await writeRows(writeIds)
    })
    await rows?.commit()
    await ids.commit()
  } catch (error) {
    await rows?.discard()
    await ids?.discard()
    throw error
  }
}

/** Copies the bytes of rows, since the caller may fill the same array again. */
function encode(values: Float32Array, type: 'f16' | 'f32'): Uint8Array {
  return new Uint8Array(type === 'f16' ? toHalves(values).buffer : values.slice().buffer)
}

function checkedId(file: string, id: string): string {
  if (id !== '' && !/[\r\n]|^\ufeff/.test(id)) return id
  throw new FileError(
    file,
    '',
    `id ${JSON.stringify(id)} must not be empty or contain a line break`,
  )
}

/** Rows to write, with their ids. */
interface RowBlock {
  values: Float32Array
  ids: string[]
}

/**
 * Pairs rows with ids and checks both: whole rows of finite numbers, and exactly one
 * id for each. Without ids, rows are numbered.
 */
async function* rowBlocks(
  file: string,
  dimensions: number,
  rows: Iterable<Float32Array> | AsyncIterable<Float32Array>,
  ids: Iterable<string> | AsyncIterable<string> | undefined,
  type: 'f16' | 'f32',
): AsyncGenerator<RowBlock> {
  const names = iterator(ids ?? numbers())
  let row = 0
  for await (const values of rows) {
    if (values.length % dimensions !== 0) {
      const problem = `row ${row}: ${values.length} numbers cannot be divided into rows of ${dimensions}`
      throw new KithError('BAD_SHAPE', problem)
    }
    const bad = notFinite(type === 'f16' ? toHalves(values) : values)
    if (bad >= 0) {
      const place = `row ${row + Math.floor(bad / dimensions)} column ${bad % dimensions}`
      throw new FileError(file, place, `the value ${values[bad]} is not a finite ${type}`)
    }
    const block: RowBlock = { values, ids: [] }
    for (let i = 0; i < values.length / dimensions; i++, row++) {
      const next = names.next()
      // Awaiting each of millions of available ids would take longer than everything else.
      const { done, value } = next instanceof Promise ? await next : next
      if (done) throw new FileError(file, '', `expected one id per row, got only ${row} ids`)
      block.ids.push(value)
    }
    yield block
  }
  if (ids && !(await names.next()).done)
    throw new FileError(file, '', `expected ${row} ids, one per row, got more`)
}

function iterator<T>(values: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]()
}

function* numbers(): Generator<string> {
  for (let row = 0; ; row++) yield String(row)
}
