/** Shared by the experiments on rankings: the texts of a dataset, and a working folder with its embeddings and run. */
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join, parse } from 'node:path'
import { prepareText } from '@kith/core'
import { compare, openEmbeddings, readQrels, readTexts, writeTexts } from '@kith/ir'
import { encodeTexts } from '@kith/pipelines/encode'
import { searchRun } from '@kith/pipelines/search'

/**
 * Makes what is missing in a dataset's working folder: judged queries, embeddings and a run of 200
 * documents. Each qrels file and each model has a separate folder. Without a model, MiniLM's
 * embeddings that the dataset comes with are used. Without a qrels file, the test split is, or the
 * dev split of a dataset that has no test split.
 */
export async function makeWorkingFolder(folder, { qrels: file, model, queryPrefix, work }) {
  const splits = ['test', 'dev'].map((split) => join(folder, `qrels/${split}.tsv`))
  const judgments = file ?? splits.find(existsSync) ?? splits[0]
  const qrels = await readQrels(judgments)
  const split = parse(judgments).name
  const own = join(work, basename(folder), split, basename(model ?? 'all-MiniLM-L6-v2'))
  mkdirSync(own, { recursive: true })
  const at = (name) => join(own, name)
  const corpus = join(folder, 'corpus.jsonl')
  const queryText = at('queries.jsonl')
  const judged = []
  for await (const entry of readTexts(join(folder, 'queries.jsonl'))) {
    if (qrels.has(entry.id)) judged.push(entry)
  }
  await writeTexts(queryText, judged)
  const docs = (model === undefined && readyDocs(folder)) || at('docs.npy')
  const encoding = { model, maxTokens: 256 }
  if (!existsSync(docs)) await encodeTexts({ ...encoding, input: corpus, out: docs })
  const queries = at('queries.npy')
  if (!existsSync(queries)) {
    await encodeTexts({ ...encoding, queryPrefix, input: queryText, role: 'query', out: queries })
  }
  const run = at('run.trec')
  if (!existsSync(run)) await searchRun({ queries, docs, top: 200, out: run })
  return { own, split, qrels, corpus, queryText, docs, queries, run }
}

/**
 * The embeddings of a working folder; the dataset's embeddings if the folder has none of documents.
 */
export async function openVectors(folder, work) {
  const own = join(work, 'docs.npy')
  const docs = await openEmbeddings(existsSync(own) ? own : readyDocs(folder))
  const queries = await openEmbeddings(join(work, 'queries.npy'))
  return { document: (id) => vectorOf(docs, id), query: (id) => vectorOf(queries, id) }
}

/** The prepared texts of a dataset's documents and queries by id. */
export async function readPrepared(folder) {
  const read = async (name) => {
    const texts = new Map()
    for await (const { id, title, text } of readTexts(join(folder, name))) {
      texts.set(id, prepareText(title ? { title, text } : text))
    }
    return texts
  }
  return { documents: await read('corpus.jsonl'), queries: await read('queries.jsonl') }
}

/** A table of evaluations, each compared with the first one. */
export function printGains(heads, names, evaluations) {
  console.log(`| ${[...heads, 'nDCG@10', 'gain', 't'].join(' | ')} |`)
  console.log(`|${'---|'.repeat(heads.length + 3)}`)
  evaluations.forEach((evaluation, i) => {
    const { difference, t } = compare(evaluations[0], evaluation, 'nDCG@10')
    const gain = i === 0 ? ['', ''] : [difference.toFixed(4), t.toFixed(1)]
    const mean = evaluation.mean['nDCG@10'].toFixed(4)
    console.log(`| ${[...names[i], mean, ...gain].join(' | ')} |`)
  })
}

/**
 * MiniLM's embeddings of documents in a dataset's folder: as shared datasets have them, or as the
 * demo makes them.
 */
function readyDocs(folder) {
  const names = ['embeddings/all-MiniLM-L6-v2/docs.npy', 'docs.npy']
  return names.map((name) => join(folder, name)).find(existsSync)
}

function vectorOf(embeddings, id) {
  const row = embeddings.rowOf(id)
  return embeddings.read(row, row + 1)
}
