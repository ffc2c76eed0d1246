/**
 * Tests whether a second encoder helps as a second view: candidates found by one encoder, reranked with the embeddings of both in score and graph (docs/method.md section 4).
 *
 *   node experiments/two-encoders.mjs FOLDER FIRST SECOND [--qrels FILE]
 *
 * FOLDER has corpus.jsonl and queries.jsonl; FIRST and SECOND are working folders of
 * experiments/ranking.mjs, with docs.npy, queries.npy and (FIRST) run.trec.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Reranker, termStatistics } from '@kith/core'
import { evaluate, RunBuilder, readQrels, readRun } from '@kith/ir'
import { openVectors, printGains, readPrepared } from './working-folder.mjs'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { qrels: { type: 'string' } },
})
const [folder, ...encoders] = positionals
if (encoders.length !== 2 || !encoders.every((own) => existsSync(join(own, 'queries.npy')))) {
  console.error(
    'usage: node experiments/two-encoders.mjs DATASET FIRST SECOND; FIRST and SECOND are working folders of experiments/ranking.mjs',
  )
  process.exit(2)
}
/** Shares of the second encoder that are tried. */
const SHARES = [0, 0.1, 0.2, 0.3, 0.5]

const qrels = await readQrels(values.qrels ?? join(folder, 'qrels/test.tsv'))
const run = await readRun(join(encoders[0], 'run.trec'))
const [first, second] = await Promise.all(encoders.map((own) => openVectors(folder, own)))
const texts = await readPrepared(folder)
const statistics = termStatistics(texts.documents.values())

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
        vector: first.query(query),
        text: texts.queries.get(query),
        views: { second: second.query(query) },
      },
      {
        vectors: ids.map(first.document),
        texts: ids.map((id) => texts.documents.get(id)),
        views: { second: ids.map(second.document) },
      },
    )
    builder.add({ query, ids: Array.from(order, (index) => ids[index]), scores })
  }
  return evaluate(qrels, builder.finish(), ['nDCG@10'])
})
printGains(
  ['share of the second encoder'],
  SHARES.map((share) => [share]),
  measured,
)
