/**
 * Measures the latencies of docs/results.md ("Quality and cost"): milliseconds per query of reranking
 * 200 English passages of 100 words with vectors of 384 numbers, one thread, all rows in the same
 * rounds, with tokenized and with raw texts. Rows without term statistics rerank the first 50 passages.
 * A cross-encoder reads the first 10 and the first 50 of the same passages.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareText, rerank, termStatistics } from '@kith/core'
import { loadCrossEncoder } from '@kith/encoder'
import { clusteredContext } from './clusters.mjs'
import { sideBySide, table } from './measure.mjs'
import { englishPassages } from './passages.mjs'
import { writeRandomCrossEncoder } from './random-cross-encoder.mjs'

const PASSAGES = 200
const CONTEXT = 50
const WORDS = 100
const DIMENSIONS = 384
/** Words of a cross-encoder's query, and rounds of it. */
const ASKED = 10
const ROUNDS = 20

export async function run() {
  const write = await englishPassages()
  const inputs = Array.from({ length: 60 }, (_, i) => input(write, i))
  const statistics = termStatistics(inputs.flatMap(({ raw }) => raw.texts))
  const rows = {
    'similarity and neighbor ranks (neighbor-rrf)': {
      method: 'neighbor-rrf',
      statistics,
    },
    'dense + BM25 score fusion of 200 (fusion)': { method: 'fusion', statistics },
    'Kith, embeddings only': undefined,
    'Kith, first 50, no term statistics': {},
    'Kith, 50 chosen from 200 (default)': { statistics },
  }
  const contestants = Object.entries(rows).flatMap(([name, settings]) => {
    if (!settings) return [[`${name} prepared`, ({ vectors }) => rerank(...vectors)]]
    const count = settings.statistics ? PASSAGES : CONTEXT
    return ['prepared', 'raw'].map((kind) => [
      `${name} ${kind}`,
      (all) => rerank(all[kind].query, firstOf(all[kind], count), settings),
    ])
  })
  const times = await sideBySide(Object.fromEntries(contestants), inputs, 300)
  const read = await crossEncoding(inputs)
  const shown = (name) => times[name]?.toFixed(2) ?? ''
  console.log(
    `\nMilliseconds per query (${PASSAGES} passages of ${WORDS} words, one thread, medians)\n`,
  )
  console.log(
    table([
      ['ranking', 'tokenized texts', 'raw texts'],
      ...Object.keys(rows).map((name) => [name, shown(`${name} prepared`), shown(`${name} raw`)]),
      ...Object.entries(read).map(([name, time]) => [name, '', time.toFixed(0)]),
    ]),
  )
}

/** Milliseconds that a cross-encoder of ms-marco-MiniLM-L-6-v2's layout takes. */
async function crossEncoding(inputs) {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  let model
  try {
    model = await loadCrossEncoder(await writeRandomCrossEncoder(folder), { threads: 1 })
    const contestants = [10, 50].map((count) => [
      `cross-encoder, first ${count}`,
      ({ raw: { query, texts } }) => {
        const asked = query.text.split(' ').slice(0, ASKED).join(' ')
        return model.crossEncode(asked, texts.slice(0, count))
      },
    ])
    return await sideBySide(Object.fromEntries(contestants), inputs, ROUNDS)
  } finally {
    await model?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function input(write, seed) {
  const [text, ...texts] = write(seed, PASSAGES, WORDS)
  const { query: vector, candidates } = clusteredContext(PASSAGES, DIMENSIONS, seed)
  const of = (make) => ({
    query: { vector, text: make(text) },
    vectors: candidates,
    texts: texts.map(make),
  })
  return {
    raw: of((own) => own),
    prepared: of((own) => prepareText(own)),
    vectors: [vector, candidates.slice(0, CONTEXT)],
  }
}

function firstOf({ vectors, texts }, count) {
  return { vectors: vectors.slice(0, count), texts: texts.slice(0, count) }
}
