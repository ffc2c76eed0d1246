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
  const { mix, tokenizer, statistics: given } = settings
  if (mix !== 'words') return settings
  if (given && given.tokenizer !== tokenizer) {
    const problem = `term statistics were built with tokenizer '${given.tokenizer}', but this call uses '${String(tokenizer)}'; rebuild them or pass tokenizer: '${given.tokenizer}'`
    throw new KithError('BAD_INPUT', problem)
  }
  if (given || from === 'context') return settings
  const found = await store?.terms?.()
  return found?.tokenizer === tokenizer ? { ...settings, statistics: found } : settings
}
