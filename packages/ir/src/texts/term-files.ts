import { FileError, readChunks, writeAtomic } from '@kith/base'
import {
  KithError,
  type TermStatistics,
  termStatisticsFromBytes,
  termStatisticsFromJson,
  termStatisticsToBytes,
  termStatisticsToJson,
} from '@kith/core'

/** Maximum size of a file in bytes, enough for the statistics of 80 million terms. */
const LARGEST_FILE = 2 ** 30

/**
 * Writes the term statistics of a corpus: as JSON if the file name ends in .json, otherwise in
 * binary.
 *
 * ```ts
 * await writeTermStatistics('terms.bin', termStatistics(texts))
 * ```
 */
export async function writeTermStatistics(file: string, statistics: TermStatistics): Promise<void> {
  const contents = file.endsWith('.json')
    ? `${JSON.stringify(termStatisticsToJson(statistics))}\n`
    : termStatisticsToBytes(statistics)
  await writeAtomic(file, (write) => write(contents))
}

/**
 * Reads term statistics from `writeTermStatistics`.
 *
 * ```ts
 * const statistics = await readTermStatistics('terms.bin')
 * ```
 */
export async function readTermStatistics(file: string): Promise<TermStatistics> {
  const bytes = await contentsOf(file)
  try {
    return bytes[0] === 0x7b
      ? termStatisticsFromJson(JSON.parse(new TextDecoder().decode(bytes)))
      : termStatisticsFromBytes(bytes)
  } catch (error) {
    if (error instanceof KithError || error instanceof SyntaxError) {
      throw new FileError(file, '', error.message)
    }
    throw error
  }
}

async function contentsOf(file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of readChunks(file)) {
    length += chunk.length
    if (length > LARGEST_FILE)
      throw new FileError(file, '', 'is too large for a file of term statistics')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
