import {
  KithError,
  type MethodSettings,
  type Settings,
  type TermStatistics,
  type TermsName,
} from '@kith/core'
import { takesWords } from '@kith/core/internal'
import { readTerms } from '@kith/ir'

/**
 * Where the statistics of the words score come from: all documents of the corpus or the store, a
 * file that `collectTerms` wrote, or the candidates of each query alone.
 */
export type StatisticsSource = 'corpus' | 'context' | { file: string }

/** Whether settings use the collection's term statistics at all. */
export function usesStatistics({ mix, method }: MethodSettings): boolean {
  return mix === 'words' && takesWords(method)
}

/** The statistics of a file, if one is named, checked to be of the terms of the settings. */
export async function readStatistics(
  source: StatisticsSource,
  { terms }: Settings,
): Promise<TermStatistics | undefined> {
  if (typeof source !== 'object') return undefined
  const statistics = await readTerms(source.file)
  if (statistics.terms === terms) return statistics
  throw new KithError(
    'BAD_INPUT',
    `${source.file} has statistics of terms ${statistics.terms}, the setting is ${String(terms)}`,
  )
}

/** Statistics on memory that worker threads share. */
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

/** The terms by name: a worker thread cannot be handed a function. */
export function checkNamedTerms({ terms }: Pick<Settings, 'terms'>): TermsName {
  if (typeof terms !== 'function') return terms
  throw new KithError(
    'BAD_SETTING',
    'terms is a function, which jobs on files do not take: name one, or call rerank',
  )
}
