/** A dataset for `relevance.mjs`: its background, and the inputs of the estimates for its queries. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { background, prepareText, termStatistics } from '@kith/core'
import { relevanceFeatures } from '@kith/core/internal'
import { openEmbeddings, readQrels, readTexts } from '@kith/ir'

/** Candidates of a query. */
const DEPTH = 200

/**
 * Reads a dataset in BEIR's layout.
 *
 * @param embeddings The folder with docs.npy and queries.npy; default: MiniLM's in the dataset, or the dataset.
 * @param settings Settings of the ranking.
 */
export async function openDataset({ name, path, split = 'test', level = 1, embeddings, settings }) {
  const label = [name, split === 'test' ? '' : split].filter(Boolean).join(' ')
  process.stderr.write(`reading ${label} …\n`)
  const minilm = join(path, 'embeddings/all-MiniLM-L6-v2')
  const vectors = embeddings ?? (existsSync(minilm) ? minilm : path)
  const docs = await readRows(join(vectors, 'docs.npy'))
  const asked = await readRows(join(vectors, 'queries.npy'))
  const texts = new Map()
  for await (const { id, title, text } of readTexts(join(path, 'corpus.jsonl'))) {
    texts.set(id, prepareText({ title, text }))
  }
  const queryTexts = new Map()
  for await (const { id, text } of readTexts(join(path, 'queries.jsonl'))) queryTexts.set(id, text)
  const qrels = await readQrels(join(path, `qrels/${split}.tsv`))
  const statistics = termStatistics(texts.values())
  const all = { data: docs.data, rows: docs.ids.length, dimensions: docs.dimensions }
  const known = { ...settings, statistics, background: background(all) }
  const ask = (vector, text) => {
    const rows = nearest(vector, docs)
    const candidates = {
      vectors: rows.map((row) => docs.rows[row]),
      texts: rows.map((row) => texts.get(docs.ids[row])),
    }
    const { hits, query } = relevanceFeatures({ vector, text }, candidates, known)
    return { hits: hits.map((hit) => ({ ...hit, id: docs.ids[rows[hit.index]] })), query }
  }
  const queries = asked.ids.flatMap((id, row) => {
    const judged = [...(qrels.get(id) ?? [])]
    const relevant = new Set(judged.flatMap(([doc, grade]) => (grade >= level ? [doc] : [])))
    if (relevant.size === 0) return []
    const [vector, text] = [asked.rows[row], queryTexts.get(id)]
    const { hits, query } = ask(vector, text)
    const known = hits.map((hit) => ({ ...hit, relevant: relevant.has(hit.id) }))
    return [{ vector, text, query, hits: known }]
  })
  return { name, label, queries, ask, model: embeddings }
}

async function readRows(file) {
  const opened = await openEmbeddings(file)
  const { rows: count, dimensions } = opened
  const data = opened.read(0, count)
  await opened.close()
  const ids = Array.from({ length: count }, (_, i) => opened.idOf(i))
  const rows = ids.map((_, i) => data.subarray(i * dimensions, (i + 1) * dimensions))
  return { data, dimensions, rows, ids }
}

function nearest(query, { rows }) {
  const scores = Float32Array.from(rows, (row) => {
    let sum = 0
    for (let j = 0; j < row.length; j++) sum += row[j] * query[j]
    return sum
  })
  const cut = scores.toSorted().at(-Math.min(DEPTH, scores.length))
  return Array.from(scores.keys())
    .filter((row) => scores[row] >= cut)
    .sort((a, b) => scores[b] - scores[a] || a - b)
    .slice(0, DEPTH)
}
