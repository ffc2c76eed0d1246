import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildWordnet, readNouns } from '@kith/datasets'
import { completeQrels } from '@kith/datasets/internal'
import { type Qrels, readQrels, type TextEntry, writeQrels, writeTexts } from '@kith/ir'

/** The size of a part, and where its texts are cut: encoding and training take seconds. */
const [QUERIES, RELEVANT] = [12, 80]
const CHARACTERS = { document: 80, query: 60 }

/** Documents, queries and judgments of a collection. */
export interface Collection {
  documents: readonly TextEntry[]
  queries: readonly TextEntry[]
  qrels: Qrels
}

/** CISI, from the folder that the machine has it in. */
export async function readCisi(folder: string): Promise<Collection> {
  const entries = (name: string): TextEntry[] =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ _id: id, ...entry }) => ({ id, ...entry }))
  const qrels = await readQrels(join(folder, 'qrels/test.trec'))
  return { documents: entries('corpus.jsonl'), queries: entries('queries.jsonl'), qrels }
}

/** The collection of the demo. */
export async function readWordnet(): Promise<Collection> {
  const collection = buildWordnet(await readNouns())
  const queries = collection.queries.map(({ id, title }) => ({ id, text: title }))
  return { documents: collection.documents, queries, qrels: completeQrels(collection) }
}

/**
 * Writes a part of a collection under the names that the documentation gives its files, and as the
 * dataset `my-data`: a query with
 * more relevant documents than a context of 50 holds, some others, and documents that are relevant to
 * one of them.
 */
export async function writePart(collection: Collection, folder: string): Promise<void> {
  const { documents, queries, qrels } = collection
  const relevant = (id: string): string[] => [...(qrels.get(id) ?? new Map()).keys()]
  const judged = queries.filter(({ id }) => qrels.has(id))
  const fitting = judged.filter(({ id }) => relevant(id).length <= RELEVANT)
  const most = Math.max(...fitting.map(({ id }) => relevant(id).length))
  const largest = fitting.find(({ id }) => relevant(id).length === most)!
  const chosen = [largest, ...judged.filter((query) => query !== largest)].slice(0, QUERIES)
  const wanted = new Set([
    ...relevant(largest.id),
    ...chosen.flatMap(({ id }) => relevant(id).slice(0, 4)),
  ])
  const judgments = chosen.map(({ id }): [string, Map<string, number>] => {
    return [id, new Map([...qrels.get(id)!].filter(([document]) => wanted.has(document)))]
  })
  const at = (name: string): string => join(folder, name)
  const texts = documents.filter(({ id }) => wanted.has(id))
  const cut = (entries: readonly TextEntry[], length: number): TextEntry[] =>
    entries.map((entry) => ({ ...entry, text: entry.text.slice(0, length) }))
  await writeTexts(at('corpus.jsonl'), cut(texts, CHARACTERS.document))
  await writeTexts(at('queries.jsonl'), cut(chosen, CHARACTERS.query))
  await writeQrels(at('qrels.trec'), new Map(judgments))
  mkdirSync(at('my-data/qrels'), { recursive: true })
  for (const name of ['corpus.jsonl', 'queries.jsonl']) cpSync(at(name), at(`my-data/${name}`))
  await writeQrels(at('my-data/qrels/test.tsv'), new Map(judgments))
  await writeQrels(at('train.tsv'), new Map(judgments.slice(0, 8)))
  await writeQrels(at('dev.tsv'), new Map(judgments.slice(8)))
}
