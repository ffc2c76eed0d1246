/**
 * Tests whether the BM25 score of a document's best passage helps: the score of the passage gets a
 * share of the BM25 score (docs/method.md section 4).
 *
 *   node experiments/passage-words.mjs FOLDER FOLDER ...
 */
import { prepareText } from '@kith/core'
import { WordsIndex } from './bm25.mjs'
import { contextFrom, contextsOf, FIRST, measure, standardize, WORDS, weigh } from './contexts.mjs'
import { openCollections, printLeaveOneOut } from './leave-one-out.mjs'

/** Words of a passage. */
const SIZES = [32, 64]
const SHARES = [0.25, 0.5, 0.75, 1]

const collections = await openCollections(process.argv.slice(2))
const settings = [['default', collections.map((one) => measure(one, contextsOf(one)))]]
for (const size of SIZES) {
  const best = new Map(collections.flatMap((one) => [...bestPassages(one, size)]))
  for (const share of SHARES) {
    const name = `passages of ${size} words, share ${share}`
    process.stderr.write(`${name} …\n`)
    const contextOf = (query) => sharedContext(query, best.get(query), share)
    settings.push([name, collections.map((one) => measure(one, contextsOf(one, contextOf)))])
  }
}
printLeaveOneOut(collections, settings)

/** The BM25 score of the best passage of each of the first 200, by query. */
function* bestPassages({ queries, texts }, size) {
  const owners = []
  const passages = texts.flatMap((text, row) => {
    const found = passagesOf(text, size).map((passage) => prepareText(passage).postings)
    const own = found.length === 0 ? [text.terms] : found
    owners.push(...own.map(() => row))
    return own
  })
  const index = new WordsIndex(passages)
  for (const query of queries) {
    const scores = index.scores(query.terms)
    const best = new Float64Array(texts.length)
    owners.forEach((row, i) => {
      best[row] = Math.max(best[row], scores[i])
    })
    yield [query, query.pool.slice(0, FIRST).map((row) => best[row])]
  }
}

function sharedContext({ pool, near, words }, best, share) {
  const z = (values) => standardize(values.slice(0, FIRST))
  const matched = standardize(weigh([1 - share, z(words)], [share, z(best)]))
  return contextFrom(pool, weigh([1 - WORDS, z(near)], [WORDS, matched]))
}

/**
 * A document's passages of so many words, each behind its title; none if the document is one
 * passage.
 */
function passagesOf({ title, text }, size) {
  const words = text.split(/\s+/)
  const count = Math.ceil(words.length / size)
  if (count < 2) return []
  return Array.from({ length: count }, (_, i) => {
    const own = words.slice(i * size, (i + 1) * size).join(' ')
    return title ? `${title} ${own}` : own
  })
}
