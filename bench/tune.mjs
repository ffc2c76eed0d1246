/**
 * Tuning on Cranfield's 225 queries with two workers: 200 trials in each of six studies, one
 * without each fold and one on all queries. Beside it what sharing saves: the same trials of a
 * query by `rerank`, one by one, and by a context that keeps what they have in common.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepareText, presets, Reranker, TrialContext } from '@kith/core'
import { openEmbeddings, readQrels, readRun, readTexts } from '@kith/ir'
import { collect } from '@kith/pipelines/tune'
import { createEvaluator, tune } from '@kith/tune'
import { settingSpace, settingsOf, suggestEvenly } from '@kith/tune/internal'
import { sideBySide, table } from './measure.mjs'

const TRIALS = 200
const WORKERS = 2
const MOST_SECONDS = 30
const measure = 'nDCG@10'

const folder = fileURLToPath(new URL('../../shared/data/cranfield', import.meta.url))
const vectors = `${folder}/embeddings/all-MiniLM-L6-v2`

export async function run() {
  if (!existsSync(folder)) {
    console.log(`\nskipping the tuning benchmark: there is no dataset at ${folder}`)
    return
  }
  const rows = [
    ['Cranfield', 'seconds', 'at most', 'cpu seconds', 'trials', 'verdict', 'gain', 'sharing is'],
  ]
  for (const texts of [undefined, await readAllTexts()]) {
    const inputs = await readInputs(texts)
    const evaluator = createEvaluator(collect(inputs).collection, { measure, workers: WORKERS })
    let trials = 0
    const onProgress = (done) => {
      trials = done
    }
    const start = performance.now()
    const before = process.cpuUsage()
    const { verdict, heldOut } = await tune(evaluator, { measure, trials: TRIALS, onProgress })
    const seconds = (performance.now() - start) / 1000
    const { user, system } = process.cpuUsage(before)
    await evaluator.close()
    const { alone, shared } = await trialsOfAQuery(inputs, evaluator)
    rows.push([
      texts ? 'vectors and texts' : 'vectors',
      seconds.toFixed(1),
      MOST_SECONDS,
      ((user + system) / 1e6).toFixed(1),
      `${trials} × ${evaluator.queries}`,
      verdict,
      `${heldOut.gain.toFixed(4)}, t ${heldOut.t.toFixed(1)}`,
      `${(alone / shared).toFixed(1)} × as fast`,
    ])
  }
  console.log(`\nTuning: ${TRIALS} trials in each of 6 studies, ${WORKERS} workers\n`)
  console.log(table(rows))
}

async function readInputs(texts) {
  return {
    run: await readRun(`${vectors}/top200.run.trec`),
    qrels: await readQrels(`${folder}/qrels/test.trec`),
    queries: await openEmbeddings(`${vectors}/queries.npy`),
    docs: await openEmbeddings(`${vectors}/docs.npy`),
    texts,
  }
}

async function readAllTexts() {
  const [queries, docs] = [await prepared('queries'), await prepared('corpus')]
  return { query: (id) => queries.get(id), document: (id) => docs.get(id) }
}

async function prepared(name) {
  const texts = new Map()
  for await (const { id, title, text } of readTexts(`${folder}/${name}.jsonl`)) {
    texts.set(id, prepareText(title ? `${title} ${text}` : text))
  }
  return texts
}

/** Milliseconds of 200 trials of one query, in the median over queries. */
function trialsOfAQuery({ run, queries, docs, texts }, evaluator) {
  const space = settingSpace(evaluator)
  const trials = []
  while (trials.length < TRIALS) {
    for (const point of suggestEvenly({ space, seed: 1, study: 0, start: {} }, trials)) {
      trials.push(settingsOf(point, presets.balanced))
    }
  }
  const row = (embeddings, id) => embeddings.gather([embeddings.rowOf(id)])
  const inputs = run.queries.slice(0, 24).map((query) => {
    const ids = run.get(query).ids.slice(0, evaluator.largest)
    return {
      asked: { vector: row(queries, query), text: texts?.query(query) },
      found: { vectors: ids.map((id) => row(docs, id)), texts: texts && ids.map(texts.document) },
    }
  })
  const reranker = new Reranker()
  const alone = ({ asked, found }) => {
    for (const settings of trials) reranker.rerank(asked, found, settings)
  }
  const shared = ({ asked, found }) => {
    const context = new TrialContext(asked, found, evaluator.largest)
    for (const settings of trials) context.rerank(settings)
  }
  return sideBySide({ alone, shared }, inputs, inputs.length - 5)
}
