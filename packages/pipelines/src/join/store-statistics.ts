import type { Settings, TermStatistics } from '@kith/core'
import { openStore } from '@kith/stores'
import { readStatistics, type StatisticsSource } from './statistics.ts'
import { type StoreAddress, wholeAddress } from './store-address.ts'

/**
 * The statistics that a store keeps, or those of a file, if one is named. A store counts `english`
 * terms: with others, each query's candidates are counted.
 */
export async function storeStatistics(
  source: StatisticsSource,
  store: StoreAddress,
  settings: Settings,
): Promise<TermStatistics | undefined> {
  if (source !== 'corpus') return readStatistics(source, settings)
  const opened = await openStore(wholeAddress(store))
  try {
    const statistics = await opened.terms()
    return statistics?.tokenizer === settings.tokenizer ? statistics : undefined
  } finally {
    await opened.close()
  }
}
