import { KithError, type MethodSettings, type Settings, type TermStatistics } from '@kith/core'
import { takesWords } from '@kith/core/internal'
import { readTermStatistics } from '@kith/ir'

/**
 * The source of term statistics for the BM25 score: all documents of the corpus or the store, a
 * file that `collectTermStatistics` wrote, or only the candidates of each query. An `optional` file
 * is used only if its tokenizer is the tokenizer of the settings; otherwise the terms of the corpus
 * are counted.
 */
export type StatisticsSource = 'corpus' | 'context' | { file: string; optional?: boolean }

/** Returns whether settings use the term statistics of the corpus. */
export function usesStatistics({ mix, method }: MethodSettings): boolean {
  return mix === 'words' && takesWords(method)
}

/**
 * Reads the statistics of a file, if one is named. If their tokenizer differs from the settings',
 * it returns undefined for an `optional` file, and throws otherwise.
 */
export async function readStatistics(
  source: StatisticsSource,
  { tokenizer }: Settings,
): Promise<TermStatistics | undefined> {
  if (typeof source !== 'object') return undefined
  const statistics = await readTermStatistics(source.file)
  if (statistics.tokenizer === tokenizer) return statistics
  if (source.optional) return undefined
  throw new KithError(
    'BAD_INPUT',
    `${source.file}: term statistics were built with tokenizer '${statistics.tokenizer}', but this call uses '${String(tokenizer)}'; rebuild them or pass tokenizer: '${statistics.tokenizer}'`,
  )
}

/** Copies statistics to shared memory, for worker threads. */
export function shareStatistics(
  statistics: TermStatistics | undefined,
): TermStatistics | undefined {
  if (!statistics) return undefined
  const { hashes, frequencies } = statistics
  const shared = {
    hashes: new Float64Array(new SharedArrayBuffer(hashes.byteLength)),
    frequencies: new Uint32Array(new SharedArrayBuffer(frequencies.byteLength)),
  }
  shared.hashes.set(hashes)
  shared.frequencies.set(frequencies)
  return { ...statistics, ...shared }
}
