/**
 * `npm run bench -- growth`: CPU time and peak memory at 1, 4 and 16 times the work, each in a fresh
 * process. Prints the Markdown table of docs/scale.md.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labelPresets, presets } from '@kith/core'
import { openTwice } from './opened-collection.mjs'
import { fresh, timed } from './processes.mjs'
import { load, serverProcess } from './server-process.mjs'
import { writeTopicalFiles, writeTopicalRun } from './topical-files.mjs'
import { writeLines } from './write-lines.mjs'

const TIMES = [1, 4, 16]
const DIMENSIONS = 384

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    const rows = []
    for (const measure of [search, rerank, labels, evaluation, collection, serve]) {
      process.stderr.write(`measuring the growth of ${measure.name} …\n`)
      rows.push(...(await measure(folder)))
    }
    const head = ['work', ...TIMES.map((times) => `${times} ×`), 'time, 16 × ÷ 1 ×', 'memory']
    const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
    console.log(`\n${lines.join('\n')}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A row: what was measured, time and memory at each size, and how much the largest takes of the smallest. */
function row(what, results, unit = 's') {
  const cells = results.map(
    ({ time, megabytes }) => `${time.toPrecision(3)} ${unit}, ${megabytes.toFixed(0)} MB`,
  )
  const [least, most] = [results[0], results.at(-1)]
  const ratio = (figure) => (most[figure] / least[figure]).toFixed(1)
  return [what, ...cells, ratio('time'), ratio('megabytes')]
}

/** CPU time and memory of a pipeline in a separate process. */
function pipeline(name, inputs, entry) {
  const { cpu, megabytes } = timed([process.execPath, ...fresh(name, inputs, entry)])
  return { time: cpu, megabytes }
}

/** Files with this many documents and queries, and a run of 60 candidates per query. */
async function filesOf(folder, documents, queries) {
  const shape = { documents, queries, dimensions: DIMENSIONS }
  const files = await writeTopicalFiles(folder, { ...shape, seed: 2 })
  const run = join(folder, 'run.trec')
  await writeTopicalRun(run, { ...shape, candidates: 60 })
  const qrels = join(folder, 'qrels.trec')
  await writeLines(qrels, queries, (q) => `${q} 0 ${q % documents} 1\n`)
  return { ...files, run, qrels }
}

async function search(folder) {
  const results = []
  for (const times of TIMES) {
    const { docs, queries } = await filesOf(folder, 20_000 * times, 500)
    const out = join(folder, 'found.trec')
    results.push(pipeline('searchRun', { docs, queries, out, top: 100, workers: 2 }))
  }
  return [row('`kith search`, 500 queries, 20,000 documents', results)]
}

async function rerank(folder) {
  const results = []
  for (const times of TIMES) {
    const { docs, queries, run } = await filesOf(folder, 50_000, 2_000 * times)
    const inputs = { docs, queries, run, out: join(folder, 'better.trec'), workers: 2 }
    results.push(pipeline('rerankRun', { ...inputs, settings: presets['msmarco-tas-b'] }))
  }
  return [row('`kith rerank`, 2,000 queries × 60', results)]
}

async function labels(folder) {
  const results = []
  for (const times of TIMES) {
    const files = await filesOf(folder, 50_000, 2_000 * times)
    const inputs = { ...files, settings: labelPresets['paper-tas-b'], workers: 2 }
    const out = join(folder, `labels-${times}.jsonl`)
    results.push(pipeline('labelRun', { ...inputs, out }, '@kith/pipelines/labels'))
  }
  return [row('`kith labels`, 2,000 queries × 60', results)]
}

async function evaluation(folder) {
  const results = []
  for (const times of TIMES) {
    const { run, qrels } = await filesOf(folder, 50_000, 4_000 * times)
    results.push(pipeline('evaluateRuns', { qrels, runs: [run] }))
  }
  return [row('`kith eval`, 4,000 queries × 60', results)]
}

async function collection() {
  const [opened, searched] = [[], []]
  for (const times of TIMES) {
    const [, { open, search, memory }] = await openTwice(5_000 * times, DIMENSIONS)
    opened.push({ time: open / 1000, megabytes: memory })
    searched.push({ time: search, megabytes: memory })
  }
  return [
    row('`openCollection` the second time, 5,000 documents', opened),
    row('a search in it', searched, 'ms'),
  ]
}

async function serve() {
  const results = []
  for (const times of TIMES) {
    const server = await serverProcess(1)
    try {
      const job = { documents: 15 * times, dimensions: DIMENSIONS, format: 'base64', seconds: 2 }
      await load(server, job)
      const { serverCpu } = await load(server, job)
      results.push({ time: serverCpu, megabytes: server.memory() / 2 ** 20 })
    } finally {
      server.stop()
    }
  }
  return [row('a request to `kith serve`, 15 documents', results, 'ms')]
}
