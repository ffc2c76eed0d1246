import { totalmem } from 'node:os'
import {
  FileError,
  findPath,
  InputFile,
  isPackedFile,
  unpackedName,
  withUnpacked,
} from '@kith/base'
import { KithError } from '@kith/core'
import {
  detectEmbeddings,
  type EmbeddingFormat,
  fvecsLayout,
  memmapLayout,
  npyLayout,
  readMemmapIds,
  safetensorsLayout,
  unknownFormat,
} from './embedding-formats.ts'
import { readNeighboringIds } from './embedding-ids.ts'
import { type FileEmbeddings, openRaw } from './embeddings.ts'
import type { RawLayout } from './raw-rows.ts'
import { readJsonVectors } from './vectors-jsonl.ts'

/** Options for opening embeddings. */
export interface OpenEmbeddingsOptions {
  /**
   * Maximum number of bytes to load into memory. Default: 4 GiB, or half of the machine's or
   * container's memory if that is less. Larger embeddings are read by position.
   */
  memory?: number | undefined
  /** The format, if neither the extension nor the contents determine it. */
  format?: EmbeddingFormat | undefined
  /** The expected dimension, which is checked. */
  dimensions?: number | undefined
  /** The names of the columns in Parquet and JSONL. */
  idColumn?: string | undefined
  vectorColumn?: string | undefined
  /** The name of the tensor in a safetensors file with several. */
  tensor?: string | undefined
  /**
   * `false` skips the check for numbers that are not finite, because reranking and labeling find
   * them at no cost. Rows that are converted or read by position are always checked.
   */
  checked?: boolean | undefined
  /**
   * Maximum number of bytes to load when the file is opened, for callers that need only some rows:
   * larger embeddings are read by position, and worker threads load the rows that they need. Has no
   * effect for Parquet and JSONL. Default: no limit.
   */
  loadAtOnce?: number | undefined
}

/**
 * Returns the default memory for embeddings in bytes: 4 GiB, or half of the memory if that is less.
 */
function usualMemory(): number {
  // Without a limit, `constrainedMemory` returns 0, or more than the machine has.
  const allowed = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.min(4 * 2 ** 30, Math.floor(Math.min(totalmem(), allowed) / 2))
}

/**
 * Opens a file of embeddings. Kith checks the header at once, and the numbers when they are read.
 *
 * ```ts
 * await using docs = await openEmbeddings('docs.npy')
 * const vector = docs.read(0, 1) // the first row
 * ```
 */
export async function openEmbeddings(
  file: string,
  options: OpenEmbeddingsOptions = {},
): Promise<FileEmbeddings> {
  const { memory = usualMemory(), dimensions } = options
  if (!(memory >= 0))
    throw new KithError(
      'BAD_SETTING',
      `memory must be a number of bytes, at least 0, got ${memory}`,
    )
  if (dimensions !== undefined && !(Number.isSafeInteger(dimensions) && dimensions > 0)) {
    throw new KithError(
      'BAD_SETTING',
      `dimensions must be a whole number of at least 1, got ${dimensions}`,
    )
  }
  const embeddings = await open(file, memory, options)
  if (dimensions === undefined || dimensions === embeddings.dimensions) return embeddings
  await embeddings.close()
  throw new FileError(file, '', `expected ${dimensions} dimensions, got ${embeddings.dimensions}`)
}

async function open(
  file: string,
  memory: number,
  options: OpenEmbeddingsOptions,
): Promise<FileEmbeddings> {
  const { checked = true, loadAtOnce = Number.POSITIVE_INFINITY } = options
  const raws = { memory, loadAtOnce, checked }
  const folder = findPath(file)?.isDirectory()
  const input = new InputFile(file)
  const format = options.format ?? (folder ? 'memmap' : await detectEmbeddings(file, input))
  if (format === 'jsonl') return readJsonVectors(input, memory, options)
  // The other formats are read by position, from a file that is opened for this purpose.
  await input.close()
  const raw = async (layoutOf: (file: string) => RawLayout): Promise<FileEmbeddings> => {
    if (isPackedFile(file)) return withUnpacked(file, (unpacked) => rawAt(unpacked, layoutOf))
    return rawAt(file, layoutOf)
  }
  const rawAt = async (
    at: string,
    layoutOf: (file: string) => RawLayout,
  ): Promise<FileEmbeddings> => {
    const layout = layoutOf(at)
    const ids = await readNeighboringIds(unpackedName(file), layout.rows)
    return openRaw(layout, ids, { ...raws, name: file })
  }
  switch (format) {
    case 'npy':
      return raw(npyLayout)
    case 'safetensors':
      return raw((at) => safetensorsLayout(at, options.tensor))
    case 'fvecs':
      return raw(fvecsLayout)
    case 'memmap': {
      const layout = memmapLayout(file)
      return openRaw(layout, readMemmapIds(file, layout.rows), raws)
    }
    case 'parquet': {
      // Loaded here, since most programs do not read Parquet, and its libraries have many files.
      const { readParquetVectors } = await import('../parquet/parquet.ts')
      if (isPackedFile(file)) {
        return withUnpacked(file, async (unpacked) => readParquetVectors(unpacked, memory, options))
      }
      return readParquetVectors(file, memory, options)
    }
    default:
      throw unknownFormat(format)
  }
}
