/** A dataset for studies of training (adapter.mjs, encoder.mjs): queries, labels, searches and figures. */
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { seededFraction } from '@kith/base/random'
import { drawSparse } from '@kith/datasets/internal'
import {
  evaluate,
  openEmbeddings,
  RunBuilder,
  readLabels,
  readQrels,
  readRun,
  readTexts,
  writeEmbeddings,
  writeQrels,
  writeRun,
} from '@kith/ir'
import { encodeTexts } from '@kith/pipelines/encode'
import { labelRun } from '@kith/pipelines/labels'
import { rerankRun } from '@kith/pipelines/rerank'
import { searchExact } from '@kith/stores'
import { searchBm25 } from './bm25.mjs'

export const MEASURES = ['nDCG@10', 'Recall@100']

/** Opens a dataset in BEIR's layout; embeddings and rankings are made once. */
export async function openData(folder, { model, queryPrefix, labels, work }) {
  const own = join(work, basename(folder), basename(model ?? 'all-MiniLM-L6-v2'))
  mkdirSync(own, { recursive: true })
  const data = new AdapterData(folder, { model, queryPrefix, labels, own })
  await data.open()
  return data
}

class AdapterData {
  judged = {}
  #vectors = {}
  #files = {}
  #texts = new Map()
  #trainFile

  constructor(folder, { model, queryPrefix, labels, own }) {
    Object.assign(this, { folder, model, queryPrefix, labels })
    this.name = `${basename(folder)}, ${basename(own)}`
    this.at = (name) => join(own, name)
    this.corpus = join(folder, 'corpus.jsonl')
    // The training queries of some datasets are in a separate file, and may have the ids of test queries.
    this.#trainFile = join(folder, 'queries.train.jsonl')
  }

  async open() {
    for (const split of ['train', 'dev', 'test']) {
      const file = join(this.folder, `qrels/${split}.tsv`)
      if (existsSync(file)) this.judged[split] = await readQrels(file)
    }
    this.#files.docs = await this.#embeddingsOf(this.corpus, 'docs')
    this.docs = await openEmbeddings(this.#files.docs)
    for (const split of Object.keys(this.judged)) {
      const text = this.#textOf(split)
      const name = text === this.#trainFile ? 'queries.train' : 'queries'
      this.#files[split] = await this.#embeddingsOf(text, name)
      this.#vectors[split] = await openEmbeddings(this.#files[split])
      for await (const { id, text: words } of readTexts(text)) {
        if (this.judged[split].has(id)) this.#texts.set(`${split} ${id}`, words)
      }
    }
    this.training = await this.#trainingQueries()
  }

  #textOf(split) {
    const own = split === 'train' && existsSync(this.#trainFile)
    return own ? this.#trainFile : join(this.folder, 'queries.jsonl')
  }

  async #embeddingsOf(input, name) {
    const ready = join(this.folder, `embeddings/all-MiniLM-L6-v2/${name}.npy`)
    const { model } = this
    if (model === undefined && existsSync(ready)) return ready
    const out = this.at(`${name}.npy`)
    const query = name === 'docs' ? {} : { role: 'query', queryPrefix: this.queryPrefix }
    if (!existsSync(out))
      await encodeTexts({ model, maxTokens: 256, threads: 1, input, ...query, out })
    return out
  }

  /** The judged queries of a split, with their texts and embeddings. */
  queriesOf(split) {
    const embeddings = this.#vectors[split]
    return [...this.judged[split].keys()].map((id) => {
      const row = embeddings.rowOf(id)
      const text = this.#texts.get(`${split} ${id}`)
      return { id, text, vector: embeddings.read(row, row + 1) }
    })
  }

  async #searched(queries, top) {
    const { dimensions } = this.docs
    const data = new Float32Array(queries.length * dimensions)
    queries.forEach(({ vector }, q) => {
      data.set(vector, q * dimensions)
    })
    const rows = queries.length
    return searchExact({ data, rows, dimensions }, this.docs, { top, metric: 'dot' })
  }

  /** The rows of the first 200 documents of each query. */
  async candidatesOf(queries) {
    const { rows, perQuery } = await this.#searched(queries, 200)
    return queries.map((_, q) => rows.slice(q * perQuery, (q + 1) * perQuery))
  }

  async #runOf(queries, top) {
    const found = await this.#searched(queries, top)
    const run = new RunBuilder()
    queries.forEach(({ id: query }, q) => {
      const [from, to] = [q * found.perQuery, (q + 1) * found.perQuery]
      const ids = Array.from(found.rows.subarray(from, to), (row) => this.docs.idOf(row))
      run.add({ query, ids, scores: found.scores.subarray(from, to) })
    })
    return run.finish()
  }

  /** The figures of a search with some queries. */
  async measured(qrels, queries, measures = MEASURES) {
    return evaluate(qrels, await this.#runOf(queries, 100), measures)
  }

  /** The figures of test queries after reranking. */
  async reranked(name, queries) {
    const [run, embeddings, out] = ['trec', 'npy', 'reranked.trec'].map((end) =>
      this.at(`${name}.${end}`),
    )
    await writeRun(run, await this.#runOf(queries, 200))
    const head = { dimensions: this.docs.dimensions, ids: queries.map(({ id }) => id) }
    const rows = queries.map(({ vector }) => vector)
    await writeEmbeddings(embeddings, head, rows)
    const texts = { corpus: this.corpus, queryText: this.#textOf('test') }
    const files = { docs: this.#files.docs, ...texts }
    await rerankRun({ run, queries: embeddings, ...files, workers: 1, out })
    return evaluate(this.judged.test, await readRun(out), ['nDCG@10'])
  }

  /** The training queries with candidates, all judgments, and what the ranking teaches. */
  async #trainingQueries() {
    const queries = this.queriesOf('train')
    const [run, reranked] = [this.at('train.trec'), this.at('train.reranked.trec')]
    if (!existsSync(reranked)) {
      await writeRun(run, await this.#runOf(queries, 200))
      const embeddings = { queries: this.#files.train, docs: this.#files.docs }
      const texts = { corpus: this.corpus, queryText: this.#textOf('train') }
      await rerankRun({ run, ...embeddings, ...texts, workers: 1, out: reranked })
    }
    const taught = await readRun(reranked)
    const found = await this.candidatesOf(queries)
    return queries.map((query, q) => {
      const { ids, scores } = taught.get(query.id)
      const rows = ids.map((id) => this.docs.rowOf(id))
      const powers = Array.from(scores.slice(0, 50), (score) => Math.exp(2 * (score - scores[0])))
      const sum = powers.reduce((a, b) => a + b, 0)
      return {
        ...query,
        retrieved: found[q],
        relevant: this.#relevantTo(query.id),
        ranked: { rows, scores },
        taught: {
          rows: rows.slice(0, 50),
          values: powers.map((power) => power / sum),
        },
      }
    })
  }

  #relevantTo(query) {
    const relevant = [...this.judged.train.get(query)].filter(([, grade]) => grade > 0).sort()
    return relevant.map(([id]) => this.docs.rowOf(id)).filter((row) => row !== undefined)
  }

  /** Whether training queries have more than about one judgment. */
  get hasMany() {
    const labels = this.training.reduce((sum, { relevant }) => sum + relevant.length, 0)
    return labels > 1.5 * this.training.length
  }

  /** The training queries with one of their relevant documents; biased draws leave queries out. */
  async labeled(draw) {
    if (!this.hasMany) return this.training
    if (this.labels === 'even') {
      return this.training.map((query) => {
        const { id, relevant } = query
        const one = relevant[Math.floor(seededFraction(draw, id) * relevant.length)]
        return { ...query, relevant: [one] }
      })
    }
    const depth = Number(this.labels.split('-')[1])
    const run = await this.#bm25(depth)
    const { qrels } = drawSparse(this.judged.train, run, { seed: draw, depth })
    return this.training.flatMap((query) => {
      const [first] = qrels.get(query.id)?.keys() ?? []
      return first === undefined ? [] : [{ ...query, relevant: [this.docs.rowOf(first)] }]
    })
  }

  /** Judgments with one relevant document per query. */
  drawn(qrels, draw) {
    return new Map(
      [...qrels].map(([query, judged]) => {
        const relevant = [...judged].filter(([, grade]) => grade > 0).sort()
        return [
          query,
          new Map([relevant[Math.floor(seededFraction(draw, query) * relevant.length)]]),
        ]
      }),
    )
  }

  /** The training queries with the labels that `kith labels` makes of one judgment per query. */
  async evidence(draw, settings, texts) {
    const out = this.at(`${settings.target}${texts ? '-texts' : ''}-${draw}.jsonl`)
    if (!existsSync(out)) {
      const qrels = this.at(`one-${draw}.tsv`)
      const one = this.hasMany ? this.drawn(this.judged.train, draw) : this.judged.train
      await writeQrels(qrels, one, { format: 'beir' })
      const files = {
        run: this.at('train.trec'),
        queries: this.#files.train,
        docs: this.#files.docs,
      }
      const words = texts ? { corpus: this.corpus, queryText: this.#textOf('train'), texts } : {}
      await labelRun({ ...files, qrels, ...words, settings, out })
    }
    const labels = new Map()
    for await (const entry of readLabels(out)) {
      labels.set(entry.query, {
        rows: entry.docs.map((id) => this.docs.rowOf(id)),
        values: entry.labels,
      })
    }
    return this.training.flatMap((query) => {
      const own = labels.get(query.id)
      return own ? [{ ...query, labels: own }] : []
    })
  }

  async #bm25(depth) {
    const file = this.at(`bm25-${depth}.trec`)
    if (!existsSync(file)) {
      const [documents, asked] = [[], []]
      for await (const entry of readTexts(this.corpus)) documents.push(entry)
      for await (const entry of readTexts(this.#textOf('train'))) {
        if (this.judged.train.has(entry.id)) asked.push(entry)
      }
      await writeRun(file, searchBm25(documents, asked, depth, true))
    }
    return readRun(file)
  }

  /** A part of some training queries, and the others: the same for all labels, another for each seed. */
  split(queries, part, seed = 0) {
    const placed = queries.map((query) => [seededFraction(seed, `part ${query.id}`), query])
    const sorted = placed.sort(([a], [b]) => a - b).map(([, query]) => query)
    const count = part < 1 ? Math.floor(queries.length * part) : part
    return [sorted.slice(0, count), sorted.slice(count)]
  }

  /** The test queries that share no relevant document with a training query. */
  get apart() {
    const seen = new Set([...this.judged.train.values()].flatMap((one) => [...one.keys()]))
    const alone = [...this.judged.test].filter(([, one]) => {
      return ![...one.keys()].some((id) => seen.has(id))
    })
    return new Set(alone.map(([id]) => id))
  }
}
