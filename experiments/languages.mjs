/**
 * Measures tokenizers on datasets in any language: BM25 over the whole corpus, and Kith's default over
 * the first 200 documents of a vector search.
 *
 *   node experiments/languages.mjs DATASET=TOKENIZER… [--also NAMES] [--definitions] [--work FOLDER]
 *
 * DATASET is a folder with corpus.jsonl, queries.jsonl and qrels/; TOKENIZER is compared with `none`,
 * `prefix5` and `english`, and with the tokenizers that --also names. MiniLM makes the embeddings, which are kept
 * in the working folder. With --definitions, for a corpus of Python functions, two more rows have the name
 * and the docstring of a function as its title: of `english` and of TOKENIZER. t and p, Holm's over the rows, compare with `english`.
 */
import '@kith/languages'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareText, rerank, termStatistics } from '@kith/core'
import { compare, evaluate, openEmbeddings, RunBuilder, readRun, readTexts } from '@kith/ir'
import { holm } from '@kith/ir/internal'
import { WordsIndex } from './bm25.mjs'
import { makeWorkingFolder } from './working-folder.mjs'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    also: { type: 'string', default: '' },
    definitions: { type: 'boolean', default: false },
    work: { type: 'string', default: '.kith-experiments/languages' },
  },
})

for (const argument of positionals) {
  const [folder, own] = argument.split('=')
  const made = await makeWorkingFolder(folder, { model: 'minilm', work: values.work })
  const { qrels } = made
  const run = await readRun(made.run)
  const documents = await textsOf(made.corpus)
  const queries = await textsOf(made.queryText)
  const vectors = {
    documents: await openEmbeddings(made.docs),
    queries: await openEmbeddings(made.queries),
  }
  const also = values.also.split(',').filter((name) => name !== '')
  const variants = ['english', 'none', 'prefix5', ...also, own].map((tokenizer) => ({ tokenizer }))
  if (values.definitions) {
    variants.push(...['english', own].map((tokenizer) => ({ tokenizer, titled: true })))
  }
  const bm25 = []
  const kith = []
  for (const { tokenizer, titled } of variants) {
    const ids = [...documents.keys()]
    const textOf = (id) => (titled ? definition(documents.get(id)) : documents.get(id))
    const texts = new Map(ids.map((id) => [id, prepareText(textOf(id), { tokenizer })]))
    const statistics = termStatistics(texts.values(), { tokenizer })
    const index = new WordsIndex([...texts.values()].map(({ postings }) => postings))
    const found = new RunBuilder()
    const reranked = new RunBuilder()
    for (const [query, text] of queries) {
      const asked = prepareText(text, { tokenizer })
      const scores = index.scores(asked.postings)
      const rows = [...scores.keys()].filter((row) => scores[row] > 0)
      rows.sort((a, b) => scores[b] - scores[a] || a - b)
      add(
        found,
        query,
        rows.slice(0, 10).map((row) => ids[row]),
      )
      const hits = run.get(query).ids
      const { order } = rerank(
        { vector: vectorOf(vectors.queries, query), text: asked },
        {
          vectors: hits.map((id) => vectorOf(vectors.documents, id)),
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
    bm25.push(evaluate(qrels, found.finish(), ['nDCG@10']))
    kith.push(evaluate(qrels, reranked.finish(), ['nDCG@10']))
  }
  const plain = evaluate(qrels, run, ['nDCG@10'])
  console.log(`\n${basename(folder)}, ${qrels.size} queries, vector search ${mean(plain)}\n`)
  console.log('| tokenizer | BM25 | t | p | Kith | t | p |\n|---|---|---|---|---|---|---|')
  const cells = [bm25, kith].map((rows) => {
    const compared = rows.slice(1).map((row) => compare(rows[0], row, 'nDCG@10'))
    const corrected = holm(compared.map(({ tTest }) => tTest))
    return rows.map((row, i) => [
      mean(row),
      i === 0 ? '' : compared[i - 1].t.toFixed(1),
      i === 0 ? '' : corrected[i - 1] < 0.0001 ? '< 0.0001' : corrected[i - 1].toFixed(4),
    ])
  })
  variants.forEach(({ tokenizer, titled }, i) => {
    const name = titled ? `${tokenizer}, with titles` : tokenizer
    console.log(`| ${[name, ...cells[0][i], ...cells[1][i]].join(' | ')} |`)
  })
}

async function textsOf(file) {
  const texts = new Map()
  for await (const { id, title, text } of readTexts(file)) {
    texts.set(id, title ? `${title} ${text}` : text)
  }
  return texts
}

/** A Python function with its name and docstring as title. */
function definition(text) {
  const name = /\bdef\s+(\w+)/.exec(text)?.[1] ?? ''
  const docstring = /("""|''')([\s\S]*?)\1/.exec(text)?.[2].trim() ?? ''
  return { title: `${name} ${docstring}`, text }
}

/** Adds a ranking to a run, best first; a query without hits has none. */
function add(builder, query, ids) {
  if (ids.length > 0) builder.add({ query, ids, scores: ids.map((_, place) => -place) })
}

function vectorOf(embeddings, id) {
  const row = embeddings.rowOf(id)
  return embeddings.read(row, row + 1)
}

function mean(evaluation) {
  return evaluation.mean['nDCG@10'].toFixed(4)
}
