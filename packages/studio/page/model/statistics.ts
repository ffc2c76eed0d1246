import { type TermStatistics, type TermsName, termStatisticsFromBytes } from '@kith/core'
import { mixOf, type PageSettings } from './page-settings.ts'
import { source } from './source.ts'

const known = new Map<TermsName, Promise<TermStatistics>>()

/** The collection's statistics where settings take them; each kind of terms is fetched once. */
export async function statisticsFor(
  page: PageSettings,
  texts: boolean,
): Promise<TermStatistics | undefined> {
  const { terms, statistics } = page
  if (statistics !== 'collection' || mixOf(page, { texts }) !== 'words' || !texts) return undefined
  const own = known.get(terms) ?? source().statistics(terms).then(termStatisticsFromBytes)
  known.set(terms, own)
  // What failed once may be there the next time.
  own.catch(() => known.delete(terms))
  return own
}
