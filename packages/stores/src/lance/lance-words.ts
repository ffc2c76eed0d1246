import type { Table } from '@lancedb/lancedb'
import { toDocuments } from './lance-rows.ts'

type Lance = typeof import('@lancedb/lancedb')

/** The columns whose words are searched. */
const COLUMNS = ['title', 'text']

/** Builds or renews LanceDB's index of the words of titles and texts: English stems without stop words. */
export async function indexWords({ Index }: Lance, table: Table): Promise<void> {
  for (const column of COLUMNS) {
    // Positions are for phrases, which are not searched.
    await table.createIndex(column, { config: Index.fts({ withPosition: false }) })
  }
}

/** Whether a table has that index. */
export async function areWordsIndexed(table: Table): Promise<boolean> {
  const indexed = (await table.listIndices()).flatMap(({ columns }) => columns)
  return COLUMNS.every((column) => indexed.includes(column))
}

/** The ids of the documents whose words fit a text best, by LanceDB's BM25, those not indexed yet included. */
export async function searchWords(
  { MultiMatchQuery }: Lance,
  table: Table,
  text: string,
  top: number,
): Promise<string[]> {
  const search = table.query().fullTextSearch(new MultiMatchQuery(text, COLUMNS))
  const found = await search.select(['id', '_score']).limit(top).toArrow()
  return Array.from(toDocuments(found), ({ id }) => id)
}
