import { join } from 'node:path'
import { writeAtomic } from '@kith/base'
import { type Qrels, writeQrels, writeTexts } from '@kith/ir'
import { type Split, splits, type WordnetCollection } from './build-wordnet.ts'

/** The files in the folder of a dataset, drawn labels among them. */
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

/** One file for each split with labels: readers refuse an empty file. */
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

/** The page that explains a written dataset. */
function wordnetReadme({ documents, queries, seed }: WordnetCollection): string {
  const labels = queries.reduce((sum, { relevant }) => sum + relevant.length, 0)
  const average = queries.length === 0 ? 0 : labels / queries.length
  const sizes = splits.map((split) => {
    return `${split} ${count(queries.filter((query) => query.split === split).length)}`
  })
  return `# WordNet categories: a retrieval dataset with nearly complete labels

${count(documents.length)} documents, ${count(queries.length)} queries (${sizes.join(', ')}), \
${average.toFixed(1)} relevant documents per query on average. Built from the nouns of WordNet by \
\`@kith/datasets\`; split seed ${seed}. Every build gives the same bytes.

| file | contents |
|---|---|
| \`corpus.jsonl\` | the documents, in BEIR's layout: \`lemma, lemma: definition\` |
| \`queries.jsonl\` | the queries of all splits: the title of a category, such as \`wading bird\` |
| \`queries-definition.jsonl\` | the same queries as \`title: definition\` |
| \`qrels/<split>.tsv\` | the complete labels of \`test\`, \`dev\` and \`train\` |
| \`qrels-sparse/<split>.tsv\` | sparse labels, if they were drawn: one relevant document per query |
| \`regions.tsv\` | the region of each query; queries of one region are similar, so significance tests should resample regions, not queries |
| \`LICENSE\` | Princeton's license of WordNet, which every copy of these texts must keep |

An id is \`n\` and the offset of the synset in WordNet's \`data.noun\`.

## How the dataset is built

- **Documents** are the noun synsets without hyponyms, kinds and instances alike, except synsets \
below "taxonomic group". The definition is the gloss without its examples.
- **Queries** are synsets with 5 to 200 documents below them, over all paths of hypernyms; all \
documents below a synset are relevant. Queries come from the lexical files of things (animals, \
artifacts, food, persons, ...). Three kinds of synsets are left out:
  - the head word is in the lemmas of more than half of the relevant documents: matching words would \
find these documents;
  - many labels are missing: the unlabeled documents whose definition names the category ("a small \
boat ...") are more than a quarter of the number of labeled documents;
  - the synset is nearly a larger query (Jaccard of the relevant documents at least 0.8).
- **Splits** are made by region: the topmost ancestor, over first hypernyms, that has at most 200 \
documents. A seeded hash of the region chooses the split. A query that shares a relevant document \
with another split is dropped: from train before dev, from dev before test.
- **Sparse labels** keep one relevant document per query, drawn by seed and query from the relevant \
documents among the first 200 that an encoder retrieves. Queries without such a document are left \
out. Labels from outside the retrieved list would teach an encoder to move away from the list.

## Use and limits

Labels of large datasets such as MS MARCO are sparse: one relevant document per query is known, \
and the other relevant documents count as wrong. In this dataset nearly all relevant documents are \
known. You can hide all but one, train or audit with that document, and measure against all labels.

Some labels are missing, because WordNet's editors did not place every synset under every category \
that it belongs to. Judged by eye, about one in ten unlabeled documents in a top 10 is relevant. \
Compare systems on this dataset; a single figure is slightly too low.
`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}

/** All labels of a dataset, or the labels of one split. */
export function completeQrels({ queries }: WordnetCollection, split?: Split): Qrels {
  const chosen = queries.filter((query) => split === undefined || query.split === split)
  return new Map(chosen.map(({ id, relevant }) => [id, new Map(relevant.map((doc) => [doc, 1]))]))
}
