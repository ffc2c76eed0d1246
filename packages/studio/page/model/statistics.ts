import { type TermStatistics, type TokenizerName, termStatisticsFromBytes } from '@kith/core'
import { mixOf, type PageSettings } from './page-settings.ts'
import { source } from './source.ts'

const known = new Map<TokenizerName, Promise<TermStatistics>>()

/** The collection's statistics where settings take them; each kind of terms is fetched once. */
export async function statisticsFor(
  page: PageSettings,
  texts: boolean,
): Promise<TermStatistics | undefined> {
  const { tokenizer, statistics } = page
  if (statistics !== 'collection' || mixOf(page, { texts }) !== 'words' || !texts) return undefined
  const own = known.get(tokenizer) ?? source().statistics(tokenizer).then(termStatisticsFromBytes)
  known.set(tokenizer, own)
  // What failed once may be there the next time.
  own.catch(() => known.delete(tokenizer))
  return own
}
