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
import { evaluate, openEmbeddings, readRun } from '@kith/ir'
import { measureTokenizer, printTokenizers, textsOf } from './tokenizer-runs.mjs'
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
  const embeddings = [await openEmbeddings(made.docs), await openEmbeddings(made.queries)]
  const vectors = {
    document: (id) => vectorOf(embeddings[0], id),
    query: (id) => vectorOf(embeddings[1], id),
  }
  const also = values.also.split(',').filter((name) => name !== '')
  const variants = ['english', 'none', 'prefix5', ...also, own].map((tokenizer) => ({ tokenizer }))
  if (values.definitions) {
    variants.push(...['english', own].map((tokenizer) => ({ tokenizer, titled: true })))
  }
  const measured = variants.map(({ tokenizer, titled }) => {
    const ids = [...documents.keys()]
    const textOf = (id) => (titled ? definition(documents.get(id)) : documents.get(id))
    return measureTokenizer(tokenizer, { ids, textOf, queries, run, vectors, qrels })
  })
  const plain = evaluate(qrels, run, ['nDCG@10'])
  console.log(
    `\n${basename(folder)}, ${qrels.size} queries, vector search ${plain.mean['nDCG@10'].toFixed(4)}\n`,
  )
  const names = variants.map(({ tokenizer, titled }) =>
    titled ? `${tokenizer}, with titles` : tokenizer,
  )
  printTokenizers('tokenizer', names, measured)
}

/** A Python function with its name and docstring as title. */
function definition(text) {
  const name = /\bdef\s+(\w+)/.exec(text)?.[1] ?? ''
  const docstring = /("""|''')([\s\S]*?)\1/.exec(text)?.[2].trim() ?? ''
  return { title: `${name} ${docstring}`, text }
}

function vectorOf(embeddings, id) {
  const row = embeddings.rowOf(id)
  return embeddings.read(row, row + 1)
}
