import { FileError, type InputFile, unpackedName } from '@kith/base'
import { KithError } from '@kith/core'

/** `memmap` is a folder with `embedding.memmap` and `ids.memmap`. */
export type EmbeddingFormat = 'npy' | 'safetensors' | 'fvecs' | 'parquet' | 'jsonl' | 'memmap'

const endings: Record<string, EmbeddingFormat> = {
  '.npy': 'npy',
  '.safetensors': 'safetensors',
  '.fvecs': 'fvecs',
  '.parquet': 'parquet',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.memmap': 'memmap',
}

const known = 'npy, safetensors, fvecs, parquet, jsonl, memmap'

/** The format that a name's ending tells, or undefined. */
export function formatByEnding(file: string): EmbeddingFormat | undefined {
  const name = unpackedName(file).toLowerCase()
  return Object.entries(endings).find(([ending]) => name.endsWith(ending))?.[1]
}

/** The format of a file: by its ending, else by its first bytes. */
export async function detectEmbeddings(file: string, input: InputFile): Promise<EmbeddingFormat> {
  const byEnding = formatByEnding(file)
  if (byEnding && byEnding !== 'memmap') return byEnding
  const start = (await input.start()).toString('latin1', 0, 16)
  if (start.startsWith('\x93NUMPY')) return 'npy'
  if (start.startsWith('PAR1')) return 'parquet'
  if (start[8] === '{') return 'safetensors'
  if (start.trimStart().startsWith('{')) return 'jsonl'
  await input.close()
  throw new FileError(input.name, 'byte 0', `no format that is known here (${known})`)
}

/** The error for a format that is none of those. */
export function unknownFormat(format: unknown): KithError {
  return new KithError('BAD_SETTING', `embedding format ${format}, allowed: ${known}`)
}
