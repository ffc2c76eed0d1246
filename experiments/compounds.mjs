/**
 * Measures the splitting of German compounds by the corpus' own vocabulary: BM25 over the whole corpus,
 * and Kith's default over the first 200 documents of a vector search.
 *
 *   node experiments/compounds.mjs DATASET [--work FOLDER]
 *
 * A word is split if the terms of both parts are in the corpus, with or without a linking s, n, en,
 * es or er between them; of several splits, the one whose parts are in most documents (geometric mean),
 * if these are more than the whole word's. `german` is the tokenizer that Kith has; the other rows are functions.
 * t and p, Holm's over the rows, compare with stems and first five letters.
 */
import '@kith/languages'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { readRun } from '@kith/ir'
import { stemmer } from '@orama/stemmers/german'
import { stopwords } from '@orama/stopwords/german'
import { measureTokenizer, printTokenizers, textsOf } from './tokenizer-runs.mjs'
import { makeWorkingFolder, openVectors } from './working-folder.mjs'

const LINKS = ['', 's', 'n', 'en', 'es', 'er']
const SHORTEST_PART = 4

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { work: { type: 'string', default: '.kith-experiments/languages' } },
})
const [folder] = positionals
const made = await makeWorkingFolder(folder, { model: 'minilm', work: values.work })
const run = await readRun(made.run)
const documents = await textsOf(made.corpus)
const queries = await textsOf(made.queryText)
const vectors = await openVectors(folder, made.own)
const stops = new Set(stopwords.map(spelled))
const frequencies = countTerms(documents.values())
const splits = new Map()

const variants = {
  'stems and first five letters': (word) => [termOf(word), prefixOf(word)],
  german: undefined,
  stems: (word) => [termOf(word)],
  'stems and parts': (word) => [termOf(word), ...partsOf(word).map(termOf)],
  'stems, first five letters and parts': (word) => [
    ...[termOf(word), prefixOf(word)],
    ...partsOf(word).map(termOf),
  ],
  'stems, first five letters and last part': (word) => [
    ...[termOf(word), prefixOf(word)],
    ...partsOf(word).slice(1).map(termOf),
  ],
  'stems, first five letters of words and parts': (word) =>
    [word, ...partsOf(word)].flatMap((part) => [termOf(part), prefixOf(part)]),
}

const found = []
for (const terms of Object.values(variants)) found.push(measure(terms))
const compounds = [...splits].filter(([, parts]) => parts.length > 0)
console.log(`${basename(folder)}: ${compounds.length} words are split, such as`)
console.log(
  `${compounds.filter((_, i) => i % 97 === 0).map(([word, parts]) => `${word}: ${parts.join(' ')}`)}\n`,
)
printTokenizers('terms', Object.keys(variants), found)

/** Ranks all queries with the terms of words. */
function measure(terms) {
  const tokenizer = terms
    ? (text) => wordsOf(text).flatMap((word) => (termOf(word) === '' ? [] : terms(word)))
    : 'german'
  const ids = [...documents.keys()]
  const textOf = (id) => documents.get(id)
  return measureTokenizer(tokenizer, { ids, textOf, queries, run, vectors, qrels: made.qrels })
}

function wordsOf(text) {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** One spelling of each sound, as the tokenizer `german` has. */
function spelled(word) {
  const digraphs = word.replaceAll('ß', 'ss').replaceAll('ae', 'ä').replaceAll('oe', 'ö')
  return digraphs.replace(/(?<![aeq])ue/g, 'ü')
}

/** The stem of a word, empty for a stop word. */
function termOf(word) {
  const own = spelled(word)
  return stops.has(own) ? '' : stemmer(own)
}

function prefixOf(word) {
  return `${termOf(word).slice(0, 5)}*`
}

/** The parts of a compound; empty for other words. */
function partsOf(word) {
  if (!splits.has(word)) splits.set(word, split(word))
  return splits.get(word)
}

function split(word) {
  let [most, parts] = [frequencyOf(word), []]
  for (let end = SHORTEST_PART; end <= word.length - SHORTEST_PART; end++) {
    const first = word.slice(0, end)
    for (const link of LINKS) {
      const last = word.slice(end + link.length)
      if (last.length < SHORTEST_PART || !word.startsWith(link, end)) continue
      const frequency = Math.sqrt(frequencyOf(first) * frequencyOf(last))
      if (frequency > most) [most, parts] = [frequency, [first, last]]
    }
  }
  return parts
}

/** In how many texts the term of a word is; stop words are no parts of compounds. */
function frequencyOf(word) {
  return frequencies.get(termOf(word)) ?? 0
}

function countTerms(texts) {
  const counts = new Map()
  for (const text of texts) {
    for (const term of new Set(wordsOf(text).map(termOf))) {
      if (term !== '') counts.set(term, (counts.get(term) ?? 0) + 1)
    }
  }
  return counts
}
