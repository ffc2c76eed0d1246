import { join } from 'node:path'
import { findPath, writeAtomic } from '@kith/base'
import { type Qrels, readTexts, type TextEntry, writeQrels, writeTexts } from '@kith/ir'
import { type Split, splits, type WordnetCollection } from './build-wordnet.ts'

/** The files in the folder of a dataset, including drawn labels. */
export const wordnetFiles: readonly string[] = [
  ...['corpus.jsonl', 'queries.jsonl', 'queries-definition.jsonl'],
  ...['regions.tsv', 'LICENSE', 'README.md'],
  ...splits.flatMap((split) => [`qrels/${split}.tsv`, `qrels-sparse/${split}.tsv`]),
]

/**
 * Writes a dataset in BEIR's layout, with a README.md that explains each file.
 *
 * ```ts
 * await writeWordnet(buildWordnet(await readNouns()), 'wordnet')
 * ```
 */
export async function writeWordnet(collection: WordnetCollection, folder: string): Promise<void> {
  const { documents, queries, notice } = collection
  // BEIR's readers expect a title, even if it is empty.
  const corpus = documents.map(({ id, text }) => ({ id, title: '', text }))
  const titles = queries.map(({ id, title }) => ({ id, text: title }))
  const definitions = queries.map(({ id, title, definition }) => {
    return { id, text: `${title}: ${definition}` }
  })
  await writeIfChanged(join(folder, 'corpus.jsonl'), corpus)
  await writeIfChanged(join(folder, 'queries.jsonl'), titles)
  await writeTexts(join(folder, 'queries-definition.jsonl'), definitions)
  await writeSplits(collection, completeQrels(collection), join(folder, 'qrels'))
  const regions = queries.map(({ id, region }) => `${id}\t${region}\n`).join('')
  await writeText(join(folder, 'regions.tsv'), `query-id\tregion-id\n${regions}`)
  if (notice !== '') await writeText(join(folder, 'LICENSE'), `${notice}\n`)
  await writeText(join(folder, 'README.md'), wordnetReadme(collection))
}

/**
 * Writes texts unless the file contains them already: an interrupted encoding resumes only if its
 * input was not written again.
 */
async function writeIfChanged(file: string, texts: readonly TextEntry[]): Promise<void> {
  if (!(await hasTexts(file, texts))) await writeTexts(file, texts)
}

async function hasTexts(file: string, texts: readonly TextEntry[]): Promise<boolean> {
  if (!findPath(file)?.isFile()) return false
  let next = 0
  try {
    for await (const { id, title, text } of readTexts(file)) {
      const own = texts[next++]
      if (own?.id !== id || own.text !== text || (own.title ?? '') !== (title ?? '')) return false
    }
  } catch {
    // A damaged file is written again.
    return false
  }
  return next === texts.length
}

/** Writes drawn labels beside the complete labels, as `qrels-sparse/<split>.tsv`. */
export async function writeSparse(
  collection: WordnetCollection,
  sparse: Qrels,
  folder: string,
): Promise<void> {
  await writeSplits(collection, sparse, join(folder, 'qrels-sparse'))
}

/** Writes one file for each split with judgments: readers refuse an empty file. */
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

/** Formats the README of a written dataset. */
function wordnetReadme({ documents, queries, seed }: WordnetCollection): string {
  const labels = queries.reduce((sum, { relevant }) => sum + relevant.length, 0)
  const average = queries.length === 0 ? 0 : labels / queries.length
  const sizes = splits.map((split) => {
    return `${split} ${count(queries.filter((query) => query.split === split).length)}`
  })
  return `# WordNet categories: a retrieval dataset with nearly complete relevance judgments

Search for a category such as *wading bird*, and find the nouns that belong to it. Use the dataset to study \
missing judgments: hide all but one relevant document per query (MS MARCO has about one), train or audit with \
the rest hidden, and compare with the full judgments.

- ${count(documents.length)} documents, ${count(queries.length)} queries (${sizes.join(', ')}), \
${average.toFixed(1)} relevant documents per query on average
- built from the nouns of WordNet by \`@kith/datasets\` (split seed ${seed}), with the same bytes on every machine

| file | content |
|---|---|
| \`corpus.jsonl\` | documents in BEIR's layout; the text is \`lemma, lemma: definition\` |
| \`queries.jsonl\` | queries of all splits; the text is the title of a category |
| \`queries-definition.jsonl\` | the same queries as \`title: definition\` |
| \`qrels/<split>.tsv\` | all judgments of \`test\`, \`dev\` and \`train\` |
| \`qrels-sparse/<split>.tsv\` | one relevant document per query (\`kith dataset wordnet --encode\` or \`--run\`) |
| \`regions.tsv\` | region of each query. Queries of one region are similar: in significance tests, count each region as one query |
| \`LICENSE\` | Princeton's license of WordNet; keep it with every copy of the texts |

An id is \`n\` and the offset of the synset (a set of synonyms with one meaning) in WordNet's \`data.noun\`.

## How it is made

- **Documents** are the noun synsets without narrower synsets, except synsets below "taxonomic group". \
The definition is the gloss without its examples.
- **Queries** are synsets with 5 to 200 documents below them; these documents are relevant. The synsets come from \
the lexical files of things (animals, artifacts, food, persons, ...). A query is left out if
  - more than half of its relevant documents contain its head word, so that keyword search would find them;
  - its judgments are visibly incomplete: more than a quarter as many other documents name the category in their \
definition ("a small boat ...");
  - it is nearly the same as a larger query (Jaccard similarity of the relevant documents at least 0.8).
- **Splits** keep regions together. The region of a query is its topmost ancestor, along first hypernyms, with at \
most 200 documents; a seeded hash of the region chooses the split. A query that shares a relevant document with \
another split is dropped: from train before dev, and from dev before test.
- **Sparse judgments** keep one relevant document per query, drawn from the relevant documents among the first 200 \
hits of an encoder. Queries without such a document are left out: a relevant document that the search did not find \
would teach an encoder to leave the neighborhood that it knows.

## Limits

The judgments are not quite complete, because WordNet's editors did not place every synset under every category \
that it belongs to. Judged by eye, about one in ten unjudged documents in a top 10 is relevant. All measures are \
therefore slightly too low: compare systems with each other, not with figures of other datasets.
`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}

/** Returns all labels of a dataset, or the labels of one split. */
export function completeQrels({ queries }: WordnetCollection, split?: Split): Qrels {
  const chosen = queries.filter((query) => split === undefined || query.split === split)
  return new Map(chosen.map(({ id, relevant }) => [id, new Map(relevant.map((doc) => [doc, 1]))]))
}
