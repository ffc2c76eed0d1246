/** What the experiments on rankings share: a collection's texts, and a working folder of ranking.mjs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { prepareText } from '@kith/core'
import { compare, openEmbeddings, readTexts } from '@kith/ir'

/** The embeddings of a working folder; those of the collection itself where it has none of documents. */
export async function openVectors(folder, work) {
  const own = join(work, 'docs.npy')
  const ready = join(folder, 'embeddings/all-MiniLM-L6-v2/docs.npy')
  const docs = await openEmbeddings(existsSync(own) ? own : ready)
  const queries = await openEmbeddings(join(work, 'queries.npy'))
  return { document: (id) => vectorOf(docs, id), query: (id) => vectorOf(queries, id) }
}

/** The prepared texts of a collection's documents and queries by id. */
export async function readPrepared(folder) {
  const read = async (name) => {
    const texts = new Map()
    for await (const { id, title, text } of readTexts(join(folder, name))) {
      texts.set(id, prepareText(title ? `${title} ${text}` : text))
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

function vectorOf(embeddings, id) {
  const row = embeddings.rowOf(id)
  return embeddings.read(row, row + 1)
}
