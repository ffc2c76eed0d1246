/**
 * Shared by the experiments on parts of the ranking: judged datasets with a large pool of candidates per
 * query, and the ranking of docs/method.md section 4 with replaceable parts.
 *
 * A dataset is a folder with corpus.jsonl, queries.jsonl, qrels and embeddings of MiniLM: one of
 * ../shared/data, or demo-output/wordnet-half, which the demo makes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { prepareText, presets } from '@kith/core'
import { appendText, createEngine, Postings } from '@kith/core/steps'
import { evaluate, openEmbeddings, RunBuilder, readQrels, readTexts } from '@kith/ir'
import { WordsIndex } from './bm25.mjs'

/** The first documents by similarity and the first by words are a query's pool. */
const POOL = 1000
/** How many a context is chosen from, and how many it has, by default. */
export const FIRST = 200
const CONTEXT = 50
/** The default weight of words. */
export const WORDS = 0.4

const engine = createEngine()
const postings = new Postings()

/** The folder that keeps embeddings and pools for the next experiment. */
export const work = join(tmpdir(), 'kith-experiments')

/**
 * The documents of a dataset by row, and its judged queries. A query's pool has rows, `near` and
 * `words` their similarity and BM25 score, nearest first.
 */
export async function openCollection(folder) {
  const split = existsSync(join(folder, 'qrels/test.tsv')) ? 'test' : 'dev'
  const qrels = await readQrels(join(folder, `qrels/${split}.tsv`))
  const made = join(folder, 'embeddings/all-MiniLM-L6-v2')
  const at = existsSync(made) ? made : folder
  const documents = await openEmbeddings(join(at, 'docs.npy'))
  const asked = await openEmbeddings(join(at, 'queries.npy'))
  const texts = Array.from({ length: documents.rows })
  for await (const { id, title, text } of readTexts(join(folder, 'corpus.jsonl'))) {
    const { postings: terms } = prepareText(title ? `${title} ${text}` : text)
    texts[documents.rowOf(id)] = { title, text, terms }
  }
  const collection = {
    name: basename(folder),
    qrels,
    texts,
    ids: texts.map((_, row) => documents.idOf(row)),
    vectors: texts.map((_, row) => documents.read(row, row + 1)),
    queries: [],
  }
  const kept = join(work, collection.name, 'pools')
  if (existsSync(kept)) return { ...collection, queries: deserialize(readFileSync(kept)) }
  const index = new WordsIndex(texts.map(({ terms }) => terms))
  for await (const { id, text } of readTexts(join(folder, 'queries.jsonl'))) {
    if (!qrels.has(id)) continue
    const row = asked.rowOf(id)
    const query = { id, vector: asked.read(row, row + 1), terms: prepareText(text).postings }
    collection.queries.push({ ...query, ...poolOf(collection, index, query) })
  }
  mkdirSync(join(work, collection.name), { recursive: true })
  writeFileSync(kept, serialize(collection.queries))
  return collection
}

function poolOf({ vectors }, index, { vector, terms }) {
  const near = new Float32Array(vectors.length)
  vectors.forEach((own, row) => {
    near[row] = dot(vector, own)
  })
  const words = index.scores(terms)
  const matched = highest(words, POOL).filter((row) => words[row] > 0)
  const rows = [...new Set([...highest(near, POOL), ...matched])]
  rows.sort((a, b) => near[b] - near[a] || a - b)
  return { pool: rows, near: rows.map((row) => near[row]), words: rows.map((row) => words[row]) }
}

/** The indices of the highest values, best first, ties by the lower index. */
export function highest(values, count) {
  const cut = Float64Array.from(values).sort().at(-count) ?? -Infinity
  const found = []
  for (let i = 0; i < values.length; i++) if (values[i] >= cut) found.push(i)
  return found.sort((a, b) => values[b] - values[a] || a - b).slice(0, count)
}

/** Of vectors with an even number of dimensions. */
export function dot(a, b) {
  // Two sums, since each addition waits for the one before it.
  let [even, odd] = [0, 0]
  for (let i = 0; i < a.length; i += 2) {
    even += a[i] * b[i]
    odd += a[i + 1] * b[i + 1]
  }
  return even + odd
}

/** Values less the mean of `over`, divided by the deviation of `over`. */
export function standardize(values, over = values) {
  const mean = over.reduce((sum, value) => sum + value, 0) / over.length
  const squares = over.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / over.length)
  return values.map((value) => (deviation > 1e-6 ? (value - mean) / deviation : 0))
}

/** The sum of lists of values by their weights. */
export function weigh(...parts) {
  return parts[0][1].map((_, i) =>
    parts.reduce((sum, [weight, values]) => sum + weight * values[i], 0),
  )
}

/**
 * The parts of a context's scores: g, z of its g0, the neighbors' part, and the rows of the graph by
 * candidate. A further view is a square of cosines, the query's first, which takes a share of the
 * embeddings' part of the graph.
 */
function partsOf({ vectors, texts }, query, { rows, g0, further, share = 0 }) {
  const size = rows.length + 1
  const dimensions = query.vector.length
  postings.clear()
  appendText(postings, query.terms, 'english')
  for (const row of rows) appendText(postings, texts[row].terms, 'english')
  const copyTo = (data, stride) => {
    data.set(query.vector)
    rows.forEach((row, i) => {
      data.set(vectors[row], (i + 1) * stride)
    })
  }
  return engine.scoped(() => {
    const cosines = engine.gram({ count: size, dimensions, copyTo })
    cosines.toCosines()
    let graph = engine.blend(undefined, cosines, 0.7 * (1 - share))
    if (share > 0) {
      graph = engine.blend(graph, engine.square(size, { data: further, stride: size }), 0.7 * share)
    }
    graph = engine.blend(graph, engine.texts(postings).similarity(), 0.3)
    const jaccard = engine.neighbors(graph, presets.balanced).jaccard(0)
    return {
      g: standardize(g0),
      neighbors: standardize(Array.from(jaccard.subarray(1))),
      graph: rows.map((_, c) => graph.row(c + 1).subarray(1)),
    }
  })
}

/** p: mean similarity of each candidate in the graph to its supporters, without itself; each supporter has a weight. */
export function supportOf(graph, supporters, weightOf = () => 1) {
  const known = supporters.map((d) => ({ d, row: graph[d], weight: weightOf(d) }))
  const means = graph.map((_, c) => {
    const others = known.filter(({ d }) => d !== c)
    const whole = others.reduce((sum, { weight }) => sum + weight, 0)
    return others.reduce((sum, { row, weight }) => sum + weight * row[c], 0) / whole
  })
  return standardize(means)
}

/** Step 5 as it is by default. */
function defaultScores({ g, neighbors, graph }) {
  const support = supportOf(graph, highest(g, 5))
  return weigh([0.6, g], [0.2, neighbors], [0.2, support])
}

/**
 * The contexts of a dataset's queries with the parts of their scores. `contextOf` gives a query's
 * `{ rows, g0 }`, and a further view if there is one.
 */
export function contextsOf(collection, contextOf = defaultContext) {
  return collection.queries.map((query) => {
    const context = contextOf(query, collection)
    const ids = context.rows.map((row) => collection.ids[row])
    return { id: query.id, ids, ...partsOf(collection, query, context) }
  })
}

/** nDCG@10 of contexts whose candidates have these scores. */
export function measure({ qrels }, contexts, scoresOf = defaultScores) {
  const builder = new RunBuilder()
  for (const { id: query, ids, ...parts } of contexts) {
    const best = highest(scoresOf(parts), 10)
    builder.add({ query, ids: best.map((c) => ids[c]), scores: best.map((_, place) => -place) })
  }
  return evaluate(qrels, builder.finish(), ['nDCG@10'])
}

/** The default: the context of the first 200 by g0 = 0.6 · z(similarity) + 0.4 · z(words). */
function defaultContext({ pool, near, words }) {
  const of = (values) => standardize(values.slice(0, FIRST))
  const g0 = weigh([1 - WORDS, of(near)], [WORDS, of(words)])
  return contextFrom(pool, g0)
}

/** The rows of a context, and their g0, from the rows of the pool. */
export function contextFrom(pool, g0) {
  const chosen = highest(g0, CONTEXT)
  return { rows: chosen.map((place) => pool[place]), g0: chosen.map((place) => g0[place]) }
}
