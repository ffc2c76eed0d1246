/**
 * Pipelines from file to file: `evaluateRuns` of a run as large as MS MARCO's
 * dev.small (beside trec_eval if it is on the PATH); `rerankRun` on one and two
 * workers, with and without texts: its time, its CPU time per query, and how much of
 * that is spent in the kernel; and the memory of both as the run grows.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { presets } from '@kith/core'
import { generator } from './clusters.mjs'
import { median, table } from './measure.mjs'
import { fresh, root, timed } from './processes.mjs'
import { writeTopicalFiles, writeTopicalRun } from './topical-files.mjs'
import { writeLines } from './write-lines.mjs'

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    await measureEval(folder)
    await measureRerank(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureEval(folder) {
  const queries = 6_980
  const random = generator(1)
  const [runFile, qrelsFile] = [join(folder, 'dev.trec'), join(folder, 'qrels.trec')]
  process.stderr.write('writing a run of 6,980 × 1,000 …\n')
  await writeLines(runFile, queries, (q) => {
    let lines = ''
    for (let rank = 1; rank <= 1000; rank++) {
      const id = (Math.floor(random() * 8_841) * 1000 + rank) % 8_841_823
      lines += `${1_000_000 + q} Q0 ${id} ${rank} ${(100 - rank / 20).toFixed(4)} bench\n`
    }
    return lines
  })
  await writeLines(
    qrelsFile,
    queries,
    (q) => `${1_000_000 + q} 0 ${Math.floor(random() * 8_841_823)} 1\n`,
  )

  const contestants = {
    evaluateRuns: [
      process.execPath,
      ...fresh('evaluateRuns', {
        qrels: qrelsFile,
        runs: [runFile],
        measures: ['nDCG@10', 'MRR@10', 'MAP@10', 'Recall@10'],
      }),
    ],
  }
  const other = spawnSync('which', ['trec_eval'], { encoding: 'utf8' })
  if (other.status === 0) {
    const measures = [
      '-m',
      'ndcg_cut.10',
      '-m',
      'recip_rank',
      '-m',
      'map_cut.10',
      '-m',
      'recall.10',
    ]
    contestants.trec_eval = [other.stdout.trim(), ...measures, qrelsFile, runFile]
  }
  const rows = [['eval of 6,980 × 1,000', 's', 'peak MB']]
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  for (let round = 0; round < 3; round++) {
    for (const [name, command] of Object.entries(contestants)) results[name].push(timed(command))
  }
  for (const [name, times] of Object.entries(results)) {
    const peak = Math.max(...times.map(({ megabytes }) => megabytes))
    rows.push([name, median(times.map(({ seconds }) => seconds)).toFixed(2), peak.toFixed(0)])
  }
  console.log(`\n${table(rows)}`)
  if (!contestants.trec_eval)
    console.log('trec_eval is not on the PATH, so there is nothing to compare with.')
}

const shape = { documents: 50_000, queries: 10_000, dimensions: 768 }

async function measureRerank(folder) {
  const { given, texts } = await writeRerankFiles(folder, shape)
  const contestants = {
    'vectors, 1 worker': { ...given, settings: presets['msmarco-tas-b'], workers: 1 },
    'vectors, 2 workers': { ...given, settings: presets['msmarco-tas-b'], workers: 2 },
    'with texts, 1 worker': { ...given, ...texts, workers: 1 },
    'with texts, 2 workers': { ...given, ...texts, workers: 2 },
  }
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  for (let round = 0; round < 3; round++) {
    for (const [name, inputs] of Object.entries(contestants)) {
      process.stderr.write(`reranking: ${name} …\n`)
      results[name].push(timed([process.execPath, ...fresh('rerankRun', inputs)]))
    }
  }
  const rows = [['rerank of 10,000 × 60, d = 768', 's', 'CPU µs a query', 'times 1 worker']]
  for (const [name, times] of Object.entries(results)) {
    const seconds = median(times.map((time) => time.seconds))
    const alone = median(results[name.replace('2 workers', '1 worker')].map((time) => time.seconds))
    const cpu = median(times.map((time) => time.cpu))
    const each = ((1e6 * cpu) / shape.queries).toFixed(0)
    rows.push([name, seconds.toFixed(2), each, (alone / seconds).toFixed(2)])
  }
  console.log(`\n${table(rows)}`)
  profileRerank(folder, contestants['vectors, 1 worker'])
  await measureMemory(folder, given)
}

/** Writes a run of 60 candidates per query with its embeddings and texts; the inputs of `rerankRun`. */
export async function writeRerankFiles(folder, shape) {
  process.stderr.write(`writing embeddings of ${shape.documents} × ${shape.dimensions} …\n`)
  const files = await writeTopicalFiles(folder, { ...shape, seed: 2 })
  const run = join(folder, 'run.trec')
  await writeTopicalRun(run, { ...shape, candidates: 60 })
  const out = join(folder, 'better.trec')
  return { given: { run, ...files, out, missing: 'skip' }, texts: await writeTexts(folder, shape) }
}

/** Passages of 60 words of a Zipf-like vocabulary, and queries of 6. */
async function writeTexts(folder, shape) {
  const random = generator(5)
  const words = (count) =>
    Array.from({ length: count }, () => `w${Math.floor(20_000 ** random())}`).join(' ')
  const write = async (name, count, length) => {
    const file = join(folder, name)
    await writeLines(
      file,
      count,
      (i) => `${JSON.stringify({ _id: String(i), text: words(length) })}\n`,
    )
    return file
  }
  return {
    corpus: await write('corpus.jsonl', shape.documents, 60),
    queryText: await write('query-texts.jsonl', shape.queries, 6),
  }
}

/** How much of the CPU time of one worker is spent in the kernel. */
function profileRerank(folder, inputs) {
  const profiles = join(folder, 'profiles')
  const flags = ['--cpu-prof', '--cpu-prof-dir', profiles, '--cpu-prof-interval', '500']
  const answer = spawnSync(process.execPath, [...flags, ...fresh('rerankRun', inputs)], {
    encoding: 'utf8',
    cwd: root,
  })
  if (answer.status !== 0) throw new Error(answer.stderr)
  const shares = profileShares(join(profiles, readdirSync(profiles)[0]))
  console.log(
    `\n${table([
      ['CPU time of one worker', 'measured', 'at least'],
      ['in the kernel', `${(100 * shares.kernel).toFixed(0)} %`, '60 %'],
      ['… with copying vectors to it', `${(100 * shares.withCopy).toFixed(0)} %`, ''],
    ])}`,
  )
}

/** Peak memory with runs that are 4 and 16 times as long; the first is long enough for V8's heap to reach its size. */
async function measureMemory(folder, { docs: documents, queries: asked }) {
  const files = { docs: documents, queries: asked }
  const queries = 2_000
  const candidates = 240
  const qrels = join(folder, 'some.trec')
  await writeLines(qrels, queries, (q) => `${q} 0 ${q} 1\n`)
  const rows = [['peak MB', 'rerankRun', 'evaluateRuns', 'MB of the run']]
  for (const times of [1, 4, 16]) {
    process.stderr.write(`measuring the memory with ${times} × the run …\n`)
    const run = join(folder, `run${times}.trec`)
    await writeLines(run, queries, (q) => {
      let lines = ''
      for (let rank = 1; rank <= candidates * times; rank++) {
        // 13 has no divisor in common with the number of documents: none comes twice.
        const id = (q * 7 + rank * 13) % shape.documents
        lines += `${q} Q0 ${id} ${rank} ${(1000 - rank).toFixed(1)} bench\n`
      }
      return lines
    })
    const out = join(folder, 'memory.trec')
    const rerank = { run, ...files, out, settings: presets['msmarco-tas-b'], workers: 2 }
    const peaks = [
      timed([process.execPath, ...fresh('rerankRun', rerank)]),
      timed([process.execPath, ...fresh('evaluateRuns', { qrels, runs: [run] })]),
    ]
    const sizes = peaks.map(({ megabytes }) => megabytes.toFixed(0))
    rows.push([`${times} ×`, ...sizes, (statSync(run).size / 2 ** 20).toFixed(0)])
  }
  console.log(`\n${table(rows)}`)
}

/** The share of the busy time in WebAssembly, and in WebAssembly with copying into it. */
function profileShares(file) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'))
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  const times = { kernel: 0, copy: 0, busy: 0 }
  samples.forEach((id, i) => {
    const name = names.get(id)
    if (name === '(idle)') return
    times.busy += timeDeltas[i]
    if (name.startsWith('wasm-function')) times.kernel += timeDeltas[i]
    else if (name === 'copyTo' || name === 'copyNumbers') times.copy += timeDeltas[i]
  })
  return { kernel: times.kernel / times.busy, withCopy: (times.kernel + times.copy) / times.busy }
}
