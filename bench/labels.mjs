/**
 * Measures the cost of labels beside reranking the same contexts, on one thread, and a long job of
 * `labelRun` on two workers: its rate, and whether its memory grows.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { labelPresets, presets, Reranker } from '@kith/core'
import { clusteredContext } from './clusters.mjs'
import { sideBySide, table } from './measure.mjs'
import { writeTopicalFiles, writeTopicalRun } from './topical-files.mjs'
import { writeLines } from './write-lines.mjs'

/** A separate process, so that its memory is the memory of the job. */
const job = `import { labelRun } from '@kith/pipelines/labels'
const { seconds, summary } = await labelRun(JSON.parse(process.argv[1]))
console.log(JSON.stringify({ seconds, queries: summary.queries }))`

export async function run() {
  await measureLabels()
  await measureJob()
}

/** Both get the same rows in the same form; one ground-truth document stands first. */
async function measureLabels() {
  const rows = [['labels, d = 768', 'rerank ms', 'labels ms', 'ratio', 'at most']]
  for (const [size, rounds, limit] of [
    [60, 400, 1.15],
    [1000, 24, 1.1],
  ]) {
    process.stderr.write(`measuring labels at N = ${size} …\n`)
    const inputs = Array.from({ length: size > 500 ? 6 : 40 }, (_, seed) => {
      const { query, candidates } = clusteredContext(size, 768, 2000 * size + seed)
      return { query, candidates }
    })
    const reranker = new Reranker({ ...presets['msmarco-tas-b'], contextSize: size })
    const labeler = new Reranker({ ...labelPresets['paper-tas-b'], contextSize: size })
    const times = await sideBySide(
      {
        rerank: ({ query, candidates }) => reranker.rerank(query, candidates),
        labels: ({ query, candidates }) =>
          labeler.smoothLabels(query, candidates, { candidates: [0] }),
      },
      inputs,
      rounds,
    )
    rows.push([
      `N = ${size}`,
      times.rerank.toFixed(3),
      times.labels.toFixed(3),
      (times.labels / times.rerank).toFixed(2),
      limit,
    ])
  }
  console.log(`\n${table(rows)}`)
}

async function measureJob() {
  const [documents, queries, candidates, dimensions] = [50_000, 100_000, 60, 768]
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  const at = (name) => join(folder, name)
  try {
    process.stderr.write('writing 100,000 queries × 60 candidates, 768-d …\n')
    const files = await writeTopicalFiles(folder, {
      ...{ documents, queries, dimensions, seed: 3, queryType: 'f16' },
    })
    await writeTopicalRun(at('run.trec'), { documents, queries, candidates })
    await writeLines(at('qrels.trec'), queries, (q) => `${q} 0 ${q % documents} 1\n`)
    const inputs = {
      ...{ run: at('run.trec'), qrels: at('qrels.trec') },
      ...{ ...files, out: at('labels.jsonl') },
      ...{ settings: labelPresets['paper-tas-b'], workers: 2 },
    }
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', job, JSON.stringify(inputs)],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: fileURLToPath(new URL('..', import.meta.url)) },
    )
    let printed = ''
    child.stdout.on('data', (part) => {
      printed += part
    })
    // The memory after each quarter of the work: growth would show.
    const memory = []
    const watch = setInterval(() => {
      const done = positionOf(at('labels.jsonl.partial.json'))
      if (done >= ((memory.length + 1) * queries) / 5) memory.push(residentMegabytes(child.pid))
    }, 100)
    await once(child, 'exit')
    clearInterval(watch)
    const { seconds, queries: labeled } = JSON.parse(printed)
    console.log(
      `\n${table([
        ['labelRun, 100,000 × 60, d = 768, two workers', ''],
        ['queries with labels', labeled],
        ['queries / s', Math.round(labeled / seconds)],
        ['MB of memory at 20, 40, 60, 80 %', memory.map((mb) => mb.toFixed(0)).join(', ')],
      ])}`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function positionOf(journal) {
  try {
    return JSON.parse(readFileSync(journal, 'utf8')).state.position
  } catch {
    return 0
  }
}

function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
