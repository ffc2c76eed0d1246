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
import { prepareText, rerank, termStatistics } from '@kith/core'
import { compare, evaluate, RunBuilder, readRun, readTexts } from '@kith/ir'
import { holm } from '@kith/ir/internal'
import { stemmer } from '@orama/stemmers/german'
import { stopwords } from '@orama/stopwords/german'
import { WordsIndex } from './bm25.mjs'
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
console.log('| terms | BM25 | t | p | Kith | t | p |\n|---|---|---|---|---|---|---|')
const cells = ['bm25', 'kith'].map((kind) => {
  const compared = found.slice(1).map((row) => compare(found[0][kind], row[kind], 'nDCG@10'))
  const corrected = holm(compared.map(({ tTest }) => tTest))
  return found.map((row, i) => [
    row[kind].mean['nDCG@10'].toFixed(4),
    i === 0 ? '' : compared[i - 1].t.toFixed(1),
    i === 0 ? '' : corrected[i - 1].toFixed(4),
  ])
})
Object.keys(variants).forEach((name, i) => {
  console.log(`| ${[name, ...cells[0][i], ...cells[1][i]].join(' | ')} |`)
})

/** Ranks all queries with the terms of words. */
function measure(terms) {
  const tokenizer = terms
    ? (text) => wordsOf(text).flatMap((word) => (termOf(word) === '' ? [] : terms(word)))
    : 'german'
  const ids = [...documents.keys()]
  const texts = new Map(ids.map((id) => [id, prepareText(documents.get(id), { tokenizer })]))
  const statistics = termStatistics(texts.values(), { tokenizer })
  const index = new WordsIndex([...texts.values()].map(({ postings }) => postings))
  const [best, reranked] = [new RunBuilder(), new RunBuilder()]
  for (const [query, text] of queries) {
    const asked = prepareText(text, { tokenizer })
    const scores = index.scores(asked.postings)
    const rows = [...scores.keys()].filter((row) => scores[row] > 0)
    rows.sort((a, b) => scores[b] - scores[a] || a - b)
    add(
      best,
      query,
      rows.slice(0, 10).map((row) => ids[row]),
    )
    const hits = run.get(query).ids
    const { order } = rerank(
      { vector: vectors.query(query), text: asked },
      {
        vectors: hits.map((id) => vectors.document(id)),
        texts: hits.map((id) => texts.get(id)),
      },
      { tokenizer, statistics },
    )
    add(
      reranked,
      query,
      Array.from(order, (i) => hits[i]),
    )
  }
  const judge = (ranked) => evaluate(made.qrels, ranked.finish(), ['nDCG@10'])
  return { bm25: judge(best), kith: judge(reranked) }
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

async function textsOf(file) {
  const texts = new Map()
  for await (const { id, title, text } of readTexts(file)) {
    texts.set(id, title ? `${title} ${text}` : text)
  }
  return texts
}

/** Adds a ranking to a run, best first; a query without hits has none. */
function add(builder, query, ids) {
  if (ids.length > 0) builder.add({ query, ids, scores: ids.map((_, place) => -place) })
}
