/**
 * Tests whether the BM25 weight can be learned from unlabeled rankings: by how well similarity and BM25
 * each agree with the neighborhoods of the documents, by how well each predicts the other's first
 * documents, or by how far the best scores stand out (docs/method.md section 4).
 *
 *   node experiments/view-agreement.mjs FOLDER FOLDER ...
 *
 * With a quality q of each, a = c · q(words)^β / (c · q(words)^β + q(similarity)^β): for a whole
 * dataset from its mean qualities, or for each query from its own.
 */
import { presets } from '@kith/core'
import { createEngine } from '@kith/core/steps'
import {
  contextFrom,
  contextsOf,
  FIRST,
  highest,
  measure,
  standardize,
  WORDS,
  weigh,
} from './contexts.mjs'
import { openCollections, printLeaveOneOut } from './leave-one-out.mjs'

/** Fixed weights: what a dataset would gain at most from one weight for all its queries. */
const FIXED = [0.2, 0.3, 0.5, 0.6]
const POWERS = [1, 2]
const FACTORS = [0.5, 0.67]
/** A quality of 0 or less would give a view no weight, or all of it. */
const LEAST = 0.05

/** How good a ranking by some scores is, without a label: `{ scores, other, near }` of the first 200. */
const QUALITIES = {
  // Neighbors in the space of embeddings have similar scores (Diaz 2007).
  neighborhoods: ({ scores, near }) => mean(standardize(near(scores)).map((z, c) => z * scores[c])),
  // The mean place, in standard deviations, of its first ten in the other ranking.
  agreement: ({ scores, other }) => mean(highest(scores, 10).map((c) => other[c])),
  // How far its first ten stand above the mean, in standard deviations.
  spread: ({ scores }) => mean(highest(scores, 10).map((c) => scores[c])),
}

const engine = createEngine()
const collections = await openCollections(process.argv.slice(2))
const scoresOf = new Map()
for (const one of collections)
  for (const query of one.queries) scoresOf.set(query, parts(one, query))

const weighted = (weightOf) =>
  collections.map((one) =>
    measure(
      one,
      contextsOf(one, (query) => contextOf(query, weightOf(query, one))),
    ),
  )
const settings = [['default', weighted(() => WORDS)]]
for (const a of FIXED) settings.push([`a ${a}`, weighted(() => a)])
const ceiling = collections.map((_, c) =>
  Math.max(...settings.map(([, evaluations]) => evaluations[c].mean['nDCG@10'])),
)
console.log(
  `best fixed weight of each dataset, chosen with its judgments: ${ceiling.map((value) => value.toFixed(4)).join(' ')}\n`,
)
for (const quality of Object.keys(QUALITIES)) {
  for (const per of ['collection', 'query']) {
    for (const power of POWERS) {
      for (const factor of FACTORS) {
        const name = `${quality} of a ${per}, β ${power}, c ${factor}`
        process.stderr.write(`${name} …\n`)
        const means = new Map(collections.map((one) => [one, meanQualities(one, quality)]))
        const weightOf = (query, one) => {
          const found = per === 'query' ? scoresOf.get(query)[quality] : means.get(one)
          const [near, words] = found.map((value) => Math.max(LEAST, value) ** power)
          return (factor * words) / (factor * words + near)
        }
        settings.push([name, weighted(weightOf)])
      }
    }
  }
}
for (const quality of Object.keys(QUALITIES)) {
  const found = collections.map((one) =>
    meanQualities(one, quality)
      .map((q) => q.toFixed(2))
      .join('/'),
  )
  console.log(`${quality}, similarity/words: ${found.join(' ')}`)
}
printLeaveOneOut(collections, settings)

function contextOf(query, a) {
  const { near, words } = scoresOf.get(query)
  return contextFrom(query.pool, weigh([1 - a, near], [a, words]))
}

/** z of both scores over the first 200, and every quality of both. */
function parts({ vectors }, { pool, ...query }) {
  const near = standardize(query.near.slice(0, FIRST))
  const words = standardize(query.words.slice(0, FIRST))
  const lists = nearest(pool.slice(0, FIRST).map((row) => vectors[row]))
  const ofNeighbors = (scores) => lists.map((list) => mean(list.map((d) => scores[d])))
  const qualities = Object.entries(QUALITIES).map(([name, quality]) => [
    name,
    [
      quality({ scores: near, other: words, near: ofNeighbors }),
      quality({ scores: words, other: near, near: ofNeighbors }),
    ],
  ])
  return { near, words, ...Object.fromEntries(qualities) }
}

/** The ten nearest others of each vector. */
function nearest(vectors) {
  const copyTo = (data, stride) => {
    vectors.forEach((vector, i) => {
      data.set(vector, i * stride)
    })
  }
  return engine.scoped(() => {
    const graph = engine.gram({ count: vectors.length, dimensions: vectors[0].length, copyTo })
    const found = engine.neighbors(graph, { ...presets.balanced, k: 10, kExp: 1 })
    return found.ranks().map((list, c) => Array.from(list).filter((d) => d !== c))
  })
}

function meanQualities({ queries }, quality) {
  return [0, 1].map((view) => mean(queries.map((query) => scoresOf.get(query)[quality][view])))
}

function mean(all) {
  return all.reduce((sum, value) => sum + value, 0) / (all.length || 1)
}
