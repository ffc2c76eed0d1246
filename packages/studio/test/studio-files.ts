import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Qrels, writeEmbeddings, writeQrels, writeRun } from '@kith/ir'
import type { StudioFiles } from '../src/studio-wire.ts'

/** All files of a collection. */
export type CollectionFiles = Record<keyof StudioFiles, string>

const [TOPICS, DOCUMENTS, QUERIES, DIMENSIONS] = [12, 1040, 8, 24]
const words = 'amber birch cedar delta ember fjord grove heath inlet jetty knoll lagoon'.split(' ')

/** A vector near its topic's; the same number always gives the same one. */
function vector(topic: number, seed: number): Float32Array {
  const values = Float32Array.from({ length: DIMENSIONS }, (_, j) => {
    const noise = Math.sin(seed * 127.1 + j * 311.7) * 43758.5453
    return (j % TOPICS === topic ? 1 : 0) + 0.9 * (noise - Math.floor(noise) - 0.5)
  })
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

/**
 * Writes a small collection: documents of twelve topics, eight queries, the 1,000 nearest
 * documents of each, and judgments that know only a few of a topic's documents.
 */
export async function writeCollection(folder: string): Promise<CollectionFiles> {
  const at = (name: string): string => join(folder, name)
  const docs = Array.from({ length: DOCUMENTS }, (_, i) => vector(i % TOPICS, i + 1))
  const queries = Array.from({ length: QUERIES }, (_, i) => vector(i, 7000 + i))
  const docId = (i: number): string => `d${i}`
  const ids = docs.map((_, i) => docId(i))
  const queryIds = queries.map((_, i) => `q${i}`)
  await writeEmbeddings(at('docs.npy'), { dimensions: DIMENSIONS, ids }, docs)
  await writeEmbeddings(at('queries.npy'), { dimensions: DIMENSIONS, ids: queryIds }, queries)
  // Every fifth document has its topic's word in the plural: it depends on the terms whether it matches.
  const text = (topic: number, i: number): string =>
    `${words[topic]}${i % 5 === 1 ? 's' : ''} ${words[(i * 5) % TOPICS]} ${words[(i * 7 + 3) % TOPICS]} <b>${i % 9}</b>`
  const lines = (list: { _id: string; text: string }[]): string =>
    list.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  writeFileSync(
    at('corpus.jsonl'),
    lines(ids.map((_id, i) => ({ _id, text: `${_id}: ${text(i % TOPICS, i)}` }))),
  )
  writeFileSync(
    at('queries.jsonl'),
    lines(queryIds.map((_id, i) => ({ _id, text: `${words[i]} and ${words[i + 1]}` }))),
  )
  await writeRun(
    at('run.trec'),
    queries.map((query, q) => {
      const scores = docs.map((doc) => doc.reduce((sum, value, j) => sum + value * query[j]!, 0))
      const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, 1000)
      return { query: queryIds[q]!, ids: order.map(docId), scores: order.map((i) => scores[i]!) }
    }),
  )
  const judged = queryIds.map((id, q): [string, Map<string, number>] => [
    id,
    new Map(
      Array.from({ length: 14 + q }, (_, i) => [
        docId(q + TOPICS * 2 * i),
        q === 6 || i % 4 === 3 ? 0 : 1 + (i % 2),
      ]),
    ),
  ])
  // Nobody has judged the last query, and nothing is relevant for the one before.
  const qrels: Qrels = new Map(judged.slice(0, -1))
  await writeQrels(at('qrels.trec'), qrels)
  return {
    run: at('run.trec'),
    queries: at('queries.npy'),
    docs: at('docs.npy'),
    corpus: at('corpus.jsonl'),
    queryText: at('queries.jsonl'),
    qrels: at('qrels.trec'),
  }
}
