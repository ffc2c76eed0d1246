import { prepareText, type TermStatistics, type TokenizerName, termSpans } from '@kith/core'
import { changeTokenizer } from '../term-changes.ts'
import { tableOf, wordsIndexOf } from './postgres-schema.ts'

/** Indexed characters per document: more characters might exceed PostgreSQL's limit. */
const INDEXED_CHARACTERS = 100_000
/** Maximum number of documents that may match one of the words: each match is one row to fetch. */
const MOST_MATCHES = 5000

/** PostgreSQL's text search configurations with stemming. */
const LANGUAGES = new Set([
  ...['arabic', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'greek', 'hindi'],
  ...['hungarian', 'indonesian', 'italian', 'norwegian', 'portuguese', 'romanian', 'russian'],
  ...['spanish', 'swedish', 'turkish'],
])

/** Tokenizers whose terms are parts of a PostgreSQL word. */
const PARTS = new Set(['chinese', 'japanese', 'korean', 'thai'])

/**
 * Returns the text search configuration that is closest to a tokenizer, or undefined if PostgreSQL
 * has none.
 */
export function wordsConfiguration(tokenizer: TermStatistics['tokenizer']): string | undefined {
  const names = tokenizer.split('+')
  if (names.every((name) => PARTS.has(name))) return undefined
  // Configurations of other scripts also stem English words in Latin letters.
  const own = names.filter((name) => name !== 'english' || names.length === 1)
  if (own.length === 1 && LANGUAGES.has(own[0]!)) return own[0]!
  return tokenizer === 'plural' ? 'english' : 'simple'
}

/** Explains why the terms of a store's tokenizer match no document; undefined if they can. */
export function wordsProblem(statistics: TermStatistics | undefined): string | undefined {
  if (!statistics || wordsConfiguration(statistics.tokenizer) !== undefined) return undefined
  return `PostgreSQL cannot search the terms of tokenizer '${statistics.tokenizer}': documents are found by their vectors only; to find them by words too, load them into LanceDB`
}

/** Returns the SQL expression of a document's words in the index. */
function wordsOf(configuration: string): string {
  return `to_tsvector('${configuration}', left(coalesce(title, '') || ' ' || coalesce(text, ''), ${INDEXED_CHARACTERS}))`
}

/** Returns the SQL that builds, replaces or drops the full-text index; later changes update it. */
export function wordsIndexSql(name: string, configuration: string | undefined): string {
  const index = wordsIndexOf(name)
  const drop = `DROP INDEX IF EXISTS kith.${index}`
  if (configuration === undefined) return drop
  return `${drop}; CREATE INDEX ${index} ON ${tableOf(name)} USING gin ((${wordsOf(configuration)}))`
}

/** Returns the text search configuration in the definition of a full-text index. */
export function configurationIn(definition: string | null): string | undefined {
  return /to_tsvector\('(\w+)'::regconfig/.exec(definition ?? '')?.[1]
}

/**
 * Returns the SQL for the ids of documents that contain words, by the sum of the words' weights.
 * Parameters: the words, their weights, and the number of documents. Each word is looked up by
 * itself, so that the index answers alone and no text is read.
 */
export function searchWordsSql(name: string, configuration: string): string {
  return `
    SELECT found.id FROM unnest($1::text[], $2::float8[]) AS asked(word, weight)
    CROSS JOIN LATERAL (
      SELECT id, number FROM ${tableOf(name)} WHERE ${wordsOf(configuration)} @@ plainto_tsquery('${configuration}', asked.word)
    ) found
    GROUP BY found.id, found.number
    ORDER BY sum(asked.weight) DESC, found.number
    LIMIT $3`
}

/** A word and its weight in the score of a document that contains it. */
interface WeighedWord {
  word: string
  weight: number
}

/**
 * Returns the words of a text that few documents contain, the rarest first. For more frequent words
 * the database would read a large part of the collection, and vector search finds their documents.
 */
export function rareWords(text: string, statistics: TermStatistics | undefined): WeighedWord[] {
  if (!statistics) return []
  const words = new Map<string, { word: string; frequency: number }>()
  const tokenizer = changeTokenizer(undefined, statistics)
  for (const { term, start, end } of termSpans(text, tokenizer)) {
    const word = text.slice(start, end)
    if (!words.has(term)) words.set(term, { word, frequency: frequencyOf(word, statistics) })
  }
  const known = [...words.values()].filter(({ frequency }) => frequency > 0)
  known.sort((a, b) => a.frequency - b.frequency)
  let matches = 0
  return known
    .filter(({ frequency }) => {
      matches += frequency
      return matches <= MOST_MATCHES
    })
    .map(({ word, frequency }) => ({
      word,
      weight: Math.log(1 + (statistics.documents - frequency + 0.5) / (frequency + 0.5)),
    }))
}

/** Returns how many documents contain a word's term. */
function frequencyOf(word: string, { tokenizer, hashes, frequencies }: TermStatistics): number {
  const [lower = 0, upper = 0] = prepareText(word, {
    tokenizer: tokenizer as TokenizerName,
  }).postings
  const hash = upper * 2 ** 32 + lower
  let [from, to] = [0, hashes.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (hashes[middle]! < hash) from = middle + 1
    else to = middle
  }
  return hashes[from] === hash ? frequencies[from]! : 0
}
