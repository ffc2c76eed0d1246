import { prepareText, type TermStatistics, termSpans } from '@kith/core'
import { tableOf, wordsIndexOf } from './postgres-schema.ts'

/** Characters of a document whose words are indexed: those of more might not fit PostgreSQL's limit. */
const INDEXED_CHARACTERS = 100_000
/** Documents that may have one of the words that are looked for: each is one row to fetch. */
const MOST_MATCHES = 5000

/** A document's words, as the index has them. */
const WORDS = `to_tsvector('english', left(coalesce(title, '') || ' ' || coalesce(text, ''), ${INDEXED_CHARACTERS}))`

/** Builds the index of words; later changes keep it up to date. */
export function wordsIndexSql(name: string): string {
  return `CREATE INDEX IF NOT EXISTS ${wordsIndexOf(name)} ON ${tableOf(name)} USING gin ((${WORDS}))`
}

/**
 * The ids of the documents that have some words, by the sum of the words' weights. Values: the words,
 * their weights, and how many documents are wanted. Each word is looked up by itself, so that the
 * index tells which documents have it and no text is read.
 */
export function searchWordsSql(name: string): string {
  return `
    SELECT found.id FROM unnest($1::text[], $2::float8[]) AS asked(word, weight)
    CROSS JOIN LATERAL (
      SELECT id, number FROM ${tableOf(name)} WHERE ${WORDS} @@ plainto_tsquery('english', asked.word)
    ) found
    GROUP BY found.id, found.number
    ORDER BY sum(asked.weight) DESC, found.number
    LIMIT $3`
}

/** A word, and how much it says about a document that has it. */
export interface WeighedWord {
  word: string
  weight: number
}

/**
 * The words of a text that few documents have, the rarest first. More frequent ones would have the
 * database read a large part of the collection, and the vectors find what they say.
 */
export function rareWords(text: string, statistics: TermStatistics): WeighedWord[] {
  const words = new Map<string, { word: string; frequency: number }>()
  for (const { term, start, end } of termSpans(text)) {
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

/** How many documents have a word's term. */
function frequencyOf(word: string, { hashes, frequencies }: TermStatistics): number {
  const [lower = 0, upper = 0] = prepareText(word).postings
  const hash = upper * 2 ** 32 + lower
  let [from, to] = [0, hashes.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (hashes[middle]! < hash) from = middle + 1
    else to = middle
  }
  return hashes[from] === hash ? frequencies[from]! : 0
}
