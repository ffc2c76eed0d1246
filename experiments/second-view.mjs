/**
 * Tests whether a second view of the same encoder helps: the embedding of a document's title, or of the
 * text beyond the first 256 tokens, which the usual embedding leaves out. The view gets a share of the
 * similarity to the query, and in some rows of the graph
 * (docs/method.md section 4).
 *
 *   node experiments/second-view.mjs title|end FOLDER FOLDER ...
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddings, writeTexts } from '@kith/ir'
import { encodeTexts } from '@kith/pipelines/encode'
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
  work,
} from './contexts.mjs'
import { openCollections, printLeaveOneOut } from './leave-one-out.mjs'

/** Words before the end of a document: of scientific English, about 256 tokens with the title. */
const BEGINNING = 170
/** An end of fewer words is none. */
const LEAST = 20

/** The text of a document in a view; undefined if the document's own embedding is all there is. */
const VIEWS = {
  title: ({ title }) => title || undefined,
  end: ({ title, text }) => {
    const words = text.split(/\s+/).slice(BEGINNING)
    return words.length < LEAST ? undefined : `${title ?? ''} ${words.join(' ')}`.trim()
  },
}
/** A similarity of a document, from its embedding's and its view's. */
const SIMILARITIES = {
  title: { 0.1: mixed(0.1), 0.2: mixed(0.2), 0.3: mixed(0.3), 0.5: mixed(0.5) },
  end: {
    0.25: mixed(0.25),
    0.5: mixed(0.5),
    best: Math.max,
    'half the best': (own, other) => (own + Math.max(own, other)) / 2,
  },
}
/** The weights of the view; in the graph it has a quarter of the embeddings' weight. */
const PLACES = ['score', 'score and graph', 'search, score']
const SHARE = 0.25

const [view, ...folders] = process.argv.slice(2)
if (!(view in VIEWS)) {
  console.error('usage: node experiments/second-view.mjs title|end DATASET...')
  process.exit(2)
}
const collections = await openCollections(folders)
const settings = [['default', collections.map((one) => measure(one, contextsOf(one)))]]
const seen = new Map()
for (const one of collections) seen.set(one, await encodeView(one))
for (const [name, similarity] of Object.entries(SIMILARITIES[view])) {
  for (const where of PLACES) {
    process.stderr.write(`${name}, ${where} …\n`)
    const choose = (query, one) => viewedContext(query, one, seen.get(one), similarity, where)
    const measured = collections.map((one) => measure(one, contextsOf(one, choose)))
    settings.push([`${name}, ${where}`, measured])
  }
}
printLeaveOneOut(collections, settings, settings.length)

function mixed(share) {
  return (own, other) => (1 - share) * own + share * other
}

/** The vectors of a view by row, undefined if a document has no vector. */
async function encodeView({ name, texts }) {
  const [input, out] = ['jsonl', 'npy'].map((ending) => join(work, name, `${view}.${ending}`))
  const entries = texts.flatMap((text, row) => {
    const part = VIEWS[view](text)
    return part === undefined ? [] : [{ id: String(row), text: part }]
  })
  const vectors = texts.map(() => undefined)
  if (entries.length === 0) return vectors
  process.stderr.write(`${view}: ${entries.length} of ${texts.length} documents of ${name}\n`)
  if (!existsSync(out)) {
    await writeTexts(input, entries)
    await encodeTexts({ input, out, maxTokens: 256 })
  }
  const embeddings = await openEmbeddings(out)
  entries.forEach(({ id }, i) => {
    vectors[id] = embeddings.read(i, i + 1)
  })
  return vectors
}

function viewedContext(query, { vectors }, seen, similarity, where) {
  const { pool, words } = query
  const near = query.near.map((own, place) => {
    const vector = seen[pool[place]]
    return vector === undefined ? own : similarity(own, dot(query.vector, vector))
  })
  const taken = where.startsWith('search') ? highest(near, FIRST) : [...near.keys()].slice(0, FIRST)
  const z = (values) => standardize(taken.map((place) => values[place]))
  const g0 = weigh([1 - WORDS, z(near)], [WORDS, z(words)])
  const context = contextFrom(
    taken.map((place) => pool[place]),
    g0,
  )
  if (!where.endsWith('graph')) return context
  const further = squareOf([query.vector, ...context.rows.map((row) => seen[row] ?? vectors[row])])
  return { ...context, further, share: SHARE }
}

/** The cosines of vectors of unit length. */
function squareOf(vectors) {
  return Float32Array.from(vectors.flatMap((a) => vectors.map((b) => dot(a, b))))
}
