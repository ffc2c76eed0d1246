import { KithError, type Settings } from '@kith/core'
import type { SearchStore } from './search-store.ts'

/**
 * Settings with the store's term statistics, where they count and there are no others.
 *
 * @param from Whose terms are counted: those of all documents, or those of each query's candidates.
 */
export async function withStatistics(
  settings: Settings,
  store: SearchStore | undefined,
  from: 'store' | 'context' = 'store',
): Promise<Settings> {
  const { mix, terms, statistics: given } = settings
  if (mix !== 'words') return settings
  if (given && given.terms !== terms) {
    const problem = `the statistics are of terms ${given.terms}, setting terms is ${String(terms)}`
    throw new KithError('BAD_INPUT', problem)
  }
  if (given || from === 'context') return settings
  const found = await store?.terms?.()
  return found?.terms === terms ? { ...settings, statistics: found } : settings
}
