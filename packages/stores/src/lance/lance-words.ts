import type { TokenizerName } from '@kith/core'
import type { FtsOptions, Table } from '@lancedb/lancedb'
import { toDocuments } from './lance-rows.ts'

type Lance = typeof import('@lancedb/lancedb')

/** The columns of the full-text index. */
const COLUMNS = ['title', 'text']

/** Languages that LanceDB can stem; true if LanceDB has stop words for the language. */
const LANGUAGES: Readonly<Record<string, boolean>> = {
  ...{ arabic: false, danish: true, dutch: true, english: true, finnish: true, french: true },
  ...{ german: true, greek: false, hungarian: true, italian: true, norwegian: true },
  ...{ portuguese: true, romanian: false, russian: true, spanish: true, swedish: true },
  turkish: false,
}

/** Tokenizers for scripts without spaces between words: their terms are pairs of characters. */
const PAIRS = /chinese|japanese|korean|thai/

/** Returns the LanceDB options that are closest to a tokenizer. */
function wordsOptions(tokenizer: TokenizerName): Partial<FtsOptions> {
  if (PAIRS.test(tokenizer)) {
    const pairs = { baseTokenizer: 'ngram', ngramMinLength: 2, ngramMaxLength: 2 } as const
    return { ...pairs, stem: false, removeStopWords: false }
  }
  const names = tokenizer === 'plural' ? ['english'] : tokenizer.split('+')
  const [name] = names
  const stopWords = names.length === 1 ? LANGUAGES[name!] : undefined
  if (stopWords === undefined) return { stem: false, removeStopWords: false }
  const language = name![0]!.toUpperCase() + name!.slice(1)
  return { language, stem: true, removeStopWords: stopWords }
}

/** Builds or rebuilds LanceDB's full-text index of titles and texts. */
export async function indexWords(
  { Index }: Lance,
  table: Table,
  tokenizer: TokenizerName,
): Promise<void> {
  for (const column of COLUMNS) {
    // Positions are needed only for phrase queries, which Kith does not use.
    const config = Index.fts({ withPosition: false, ...wordsOptions(tokenizer) })
    await table.createIndex(column, { config })
  }
}

/** Returns whether a table has a full-text index. */
export async function areWordsIndexed(table: Table): Promise<boolean> {
  const indexed = (await table.listIndices()).flatMap(({ columns }) => columns)
  return COLUMNS.every((column) => indexed.includes(column))
}

/**
 * Finds the ids of the documents that match a text best by LanceDB's BM25, including documents that
 * are not indexed yet.
 */
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
