/**
 * Measures what keyword search adds to `openCollection` (docs/search.md): searches each judged query
 * with candidates found by embeddings alone, and by embeddings and keywords.
 *
 *   node experiments/search-words.mjs FOLDER [--qrels FILE]
 *
 * FOLDER has corpus.jsonl, queries.jsonl, qrels/test.tsv and embeddings/all-MiniLM-L6-v2.
 */
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { resolveSettings } from '@kith/core/internal'
import { compare, evaluate, openEmbeddings, RunBuilder, readQrels, readTexts } from '@kith/ir'
import { Collection } from '@kith/pipelines/collection'
import { openSearchStore, withStatistics, withWords } from '@kith/stores/internal'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { qrels: { type: 'string' } },
})
const [folder] = positionals
if (!folder) {
  console.error(
    'usage: node experiments/search-words.mjs DATASET; a folder with corpus.jsonl and queries.jsonl',
  )
  process.exit(2)
}
const qrels = await readQrels(values.qrels ?? join(folder, 'qrels/test.tsv'))
const corpus = join(folder, 'corpus.jsonl')
const ready = join(folder, 'embeddings/all-MiniLM-L6-v2')
const queries = await openEmbeddings(join(ready, 'queries.npy'))
const store = await openSearchStore(join(ready, 'docs.npy'), { corpus })
const settings = await withStatistics(resolveSettings(), store)

/** The first hundred documents of each judged query. */
async function searchAll(searched) {
  let vector
  const encode = async () => ({ data: vector, rows: 1, dimensions: queries.dimensions, cut: 0 })
  const collection = new Collection(searched, { encode }, settings)
  const builder = new RunBuilder()
  for await (const { id, text } of readTexts(join(folder, 'queries.jsonl'))) {
    const row = queries.rowOf(id)
    if (row === undefined || !qrels.has(id)) continue
    vector = queries.read(row, row + 1).slice()
    const found = await collection.search(text, { topN: 100 })
    const ids = found.map((document) => document.id)
    builder.add({ query: id, ids, scores: ids.map((_, place) => -place) })
  }
  return evaluate(qrels, builder.finish(), ['nDCG@10', 'Recall@100'])
}

const alone = await searchAll(store)
const both = await searchAll(await withWords(store, readTexts(corpus), settings))
for (const measure of alone.measures) {
  const [before, after] = [alone, both].map(({ mean }) => mean[measure].toFixed(4))
  const { randomization } = compare(alone, both, measure)
  const p = randomization.toFixed(4)
  console.log(
    `${basename(folder)}: ${measure} ${before} with vector search, ${after} with keyword search too, p = ${p}`,
  )
}
await store.close()
