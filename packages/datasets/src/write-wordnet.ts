import { join } from 'node:path'
import { writeAtomic } from '@kith/base'
import { type Qrels, writeQrels, writeTexts } from '@kith/ir'
import type { WordnetCollection } from './build-wordnet.ts'
import { completeQrels } from './complete-qrels.ts'
import { splits } from './splits.ts'
import { wordnetReadme } from './wordnet-readme.ts'

/** The files in the folder of a collection, drawn labels among them. */
export const wordnetFiles: readonly string[] = [
  ...['corpus.jsonl', 'queries.jsonl', 'queries-definition.jsonl'],
  ...['regions.tsv', 'LICENSE', 'README.md'],
  ...splits.flatMap((split) => [`qrels/${split}.tsv`, `qrels-sparse/${split}.tsv`]),
]

/** Writes a collection in BEIR's layout, with a README.md that explains each file. */
export async function writeWordnet(collection: WordnetCollection, folder: string): Promise<void> {
  const { documents, queries, notice } = collection
  // BEIR's readers expect a title, be it empty.
  const corpus = documents.map(({ id, text }) => ({ id, title: '', text }))
  const titles = queries.map(({ id, title }) => ({ id, text: title }))
  const definitions = queries.map(({ id, title, definition }) => {
    return { id, text: `${title}: ${definition}` }
  })
  await writeTexts(join(folder, 'corpus.jsonl'), corpus)
  await writeTexts(join(folder, 'queries.jsonl'), titles)
  await writeTexts(join(folder, 'queries-definition.jsonl'), definitions)
  await writeSplits(collection, completeQrels(collection), join(folder, 'qrels'))
  const regions = queries.map(({ id, region }) => `${id}\t${region}\n`).join('')
  await writeText(join(folder, 'regions.tsv'), `query-id\tregion-id\n${regions}`)
  if (notice !== '') await writeText(join(folder, 'LICENSE'), `${notice}\n`)
  await writeText(join(folder, 'README.md'), wordnetReadme(collection))
}

/** Writes drawn labels beside the complete ones, as `qrels-sparse/<split>.tsv`. */
export async function writeSparse(
  collection: WordnetCollection,
  sparse: Qrels,
  folder: string,
): Promise<void> {
  await writeSplits(collection, sparse, join(folder, 'qrels-sparse'))
}

/** One file for each split that has labels: a file without any could not be read again. */
async function writeSplits(
  { queries }: WordnetCollection,
  qrels: Qrels,
  folder: string,
): Promise<void> {
  for (const split of splits) {
    const part = new Map<string, ReadonlyMap<string, number>>()
    for (const query of queries) {
      const judged = qrels.get(query.id)
      if (query.split === split && judged) part.set(query.id, judged)
    }
    if (part.size > 0) await writeQrels(join(folder, `${split}.tsv`), part, { format: 'beir' })
  }
}

async function writeText(file: string, text: string): Promise<void> {
  await writeAtomic(file, (write) => write(text))
}
