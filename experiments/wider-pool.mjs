/**
 * Tests whether to choose the context from more than the first 200 hits: from more hits of vector
 * search, or also from BM25 hits of the whole corpus, and how to protect a ranking from documents that
 * only BM25 found (docs/method.md section 4, preselection).
 *
 *   node experiments/wider-pool.mjs FOLDER FOLDER ...
 */
import {
  contextFrom,
  contextsOf,
  dot,
  FIRST,
  highest,
  measure,
  standardize,
  WORDS,
  weigh,
} from './contexts.mjs'
import { openCollections, printLeaveOneOut } from './leave-one-out.mjs'

/** How many of the first by similarity, and by words, a context is chosen from. */
const POOLS = [
  [500, 0],
  [1000, 0],
  [200, 50],
  [200, 200],
  [500, 200],
]
/**
 * `all`: means and deviations over all candidates that a context is chosen from. `neighbors`: the same,
 * but a document beyond the first 200 must be as near the first 10 as half of the first 50 are.
 * `first`: means and deviations over the first 200 candidates.
 */
const RULES = ['all', 'neighbors', 'first']

const collections = await openCollections(process.argv.slice(2))
const settings = [['default', collections.map((one) => measure(one, contextsOf(one)))]]
for (const [near, words] of POOLS) {
  for (const rule of RULES) {
    const name = `${near} by similarity, ${words} by words, ${rule}`
    process.stderr.write(`${name} …\n`)
    const choose = (query, collection) => widerContext(query, collection, { near, words, rule })
    settings.push([name, collections.map((one) => measure(one, contextsOf(one, choose)))])
  }
}
printLeaveOneOut(collections, settings, settings.length)

function widerContext(query, { vectors }, { near, words, rule }) {
  const { pool } = query
  const byWords = highest(query.words, words).filter((place) => query.words[place] > 0)
  const more = [...new Set([...Array(Math.min(near, pool.length)).keys(), ...byWords])]
  const isNear = rule === 'neighbors' ? nearTheFirst(pool, vectors) : () => true
  const taken = more.filter((place) => place < FIRST || isNear(place)).sort((a, b) => a - b)
  const z = (values) => {
    const all = taken.map((place) => values[place])
    return standardize(all, rule === 'first' ? all.slice(0, FIRST) : all)
  }
  const g0 = weigh([1 - WORDS, z(query.near)], [WORDS, z(query.words)])
  const rows = taken.map((place) => pool[place])
  return contextFrom(rows, g0)
}

/** Whether a document is as similar to the first 10 as half of the first 50 are. */
function nearTheFirst(pool, vectors) {
  const sum = weigh(...pool.slice(0, 10).map((row) => [1, vectors[row]]))
  const closeness = (place) => dot(sum, vectors[pool[place]])
  const known = pool.slice(0, 50).map((_, place) => closeness(place))
  const middle = known.sort((a, b) => a - b)[known.length >> 1]
  return (place) => closeness(place) >= middle
}
