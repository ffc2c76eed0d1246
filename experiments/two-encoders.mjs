/**
 * Whether a second encoder helps as a second view of the same context: candidates found by one
 * encoder, reranked with the embeddings of both in score and graph (docs/method.md section 4).
 *
 *   node experiments/two-encoders.mjs FOLDER FIRST SECOND [--qrels FILE]
 *
 * FOLDER has corpus.jsonl and queries.jsonl; FIRST and SECOND are working folders of
 * experiments/ranking.mjs, with docs.npy, queries.npy and (FIRST) run.trec.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareText, Reranker, termStatistics } from '@kith/core'
import {
  compare,
  evaluate,
  openEmbeddings,
  RunBuilder,
  readQrels,
  readRun,
  readTexts,
} from '@kith/ir'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { qrels: { type: 'string' } },
})
const [folder, ...encoders] = positionals
if (encoders.length !== 2 || !encoders.every((own) => existsSync(join(own, 'queries.npy')))) {
  console.error('give a collection and two working folders of experiments/ranking.mjs')
  process.exit(2)
}
/** Shares of the second encoder that are tried. */
const SHARES = [0, 0.1, 0.2, 0.3, 0.5]

const qrels = await readQrels(values.qrels ?? join(folder, 'qrels/test.tsv'))
const run = await readRun(join(encoders[0], 'run.trec'))
const open = async (own) => {
  const docs = join(own, 'docs.npy')
  const ready = join(folder, 'embeddings/all-MiniLM-L6-v2/docs.npy')
  return {
    queries: await openEmbeddings(join(own, 'queries.npy')),
    docs: await openEmbeddings(existsSync(docs) ? docs : ready),
  }
}
const [first, second] = [await open(encoders[0]), await open(encoders[1])]
const read = (embeddings, id) => {
  const row = embeddings.rowOf(id)
  return embeddings.read(row, row + 1)
}
const texts = new Map()
for await (const { id, title, text } of readTexts(join(folder, 'corpus.jsonl'))) {
  texts.set(id, prepareText(title ? `${title} ${text}` : text))
}
const queryTexts = new Map()
for await (const { id, text } of readTexts(join(folder, 'queries.jsonl'))) queryTexts.set(id, text)
const statistics = termStatistics(texts.values())

const measured = SHARES.map((share) => {
  const views = {
    vectors: { graph: 0.7 * (1 - share), score: 1 - share },
    texts: { graph: 0.3, score: 0 },
    second: { graph: 0.7 * share, score: share },
  }
  const reranker = new Reranker({ statistics, metric: 'cosine', views })
  const builder = new RunBuilder()
  for (const query of run.queries) {
    if (!qrels.has(query)) continue
    const { ids } = run.get(query)
    const { order, scores } = reranker.rerank(
      {
        vector: read(first.queries, query),
        text: queryTexts.get(query),
        views: { second: read(second.queries, query) },
      },
      {
        vectors: ids.map((id) => read(first.docs, id)),
        texts: ids.map((id) => texts.get(id)),
        views: { second: ids.map((id) => read(second.docs, id)) },
      },
    )
    builder.add({ query, ids: Array.from(order, (index) => ids[index]), scores })
  }
  return evaluate(qrels, builder.finish(), ['nDCG@10'])
})
console.log(
  '| share of the second encoder | nDCG@10 | gain over the first alone | t |\n|---|---|---|---|',
)
measured.forEach((evaluation, i) => {
  const { difference, t } = compare(measured[0], evaluation, 'nDCG@10')
  const mean = evaluation.mean['nDCG@10'].toFixed(4)
  const gain = i === 0 ? ' | ' : `${difference.toFixed(4)} | ${t.toFixed(1)}`
  console.log(`| ${SHARES[i]} | ${mean} | ${gain} |`)
})
