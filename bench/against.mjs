/**
 * `npm run bench -- rerank --against=../old`: the same programs on the builds of this checkout and of
 * another one, in turns, and the ratio of their CPU times (`files`: of their times by the clock).
 * Below 1 this build is faster. The ratio is the median over rounds, in which both run one after the
 * other: a machine is busier in one minute than in the next.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { labelPresets, presets } from '@kith/core'
import { files } from './files.mjs'
import { median, table } from './measure.mjs'
import { writeRerankFiles } from './pipeline.mjs'
import { fresh, root, timed } from './processes.mjs'
import { load, serverProcess } from './server-process.mjs'
import { writeLines } from './write-lines.mjs'

const ROUNDS = 7

/** Functions of each benchmark that return the figures of a checkout, lower is better. */
const compared = { rerank, search, pipeline, labels, files, serve }

export const comparable = Object.keys(compared)

/** Compares this checkout with another in the benchmarks named. */
export async function compareBuilds(names, path) {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    for (const name of names) {
      process.stderr.write(`comparing ${name} …\n`)
      const { unit, figures, close } = await compared[name](folder, resolve(path))
      const rounds = { here: [], there: [] }
      for (let round = 0; round < ROUNDS; round++) {
        const turns = round % 2 === 0 ? ['here', 'there'] : ['there', 'here']
        for (const turn of turns) rounds[turn].push(await figures(turn === 'here' ? root : path))
      }
      close?.()
      const rows = Object.keys(rounds.here[0]).map((figure) => {
        const [here, there] = ['here', 'there'].map((turn) =>
          rounds[turn].map((round) => round[figure]),
        )
        const ratio = median(here.map((value, round) => value / there[round]))
        return [figure, median(there).toPrecision(3), median(here).toPrecision(3), ratio.toFixed(2)]
      })
      console.log(`\n${name}, ${unit} (median of ${ROUNDS})\n`)
      console.log(table([['', 'the other build', 'this build', 'ratio'], ...rows]))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a program in a checkout; it prints its figures as JSON. */
function printed(program, cwd) {
  const clusters = new URL('clusters.mjs', import.meta.url).href
  const code = `import { clusteredContext } from '${clusters}'
const each = (inputs, count, work) => {
  for (let i = 0; i < count / 4; i++) work(inputs[i % inputs.length])
  const start = process.cpuUsage()
  for (let i = 0; i < count; i++) work(inputs[i % inputs.length])
  const { user, system } = process.cpuUsage(start)
  return (user + system) / count
}
${program}`
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { cwd, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

function rerank() {
  const program = `import { prepareText, presets, rerank, Reranker } from '@kith/core'
const figures = {}
for (const [size, count] of [[60, 1500], [200, 300], [1000, 20]]) {
  const inputs = Array.from({ length: size > 500 ? 4 : 20 }, (_, i) => clusteredContext(size, 768, i))
  const settings = { ...presets['msmarco-tas-b'], contextSize: size }
  figures['rerank, ' + size + ' × 768'] = each(inputs, count, ({ query, candidates }) =>
    rerank(query, candidates, settings))
}
const words = (seed) => Array.from({ length: 100 }, (_, i) => 'w' + ((seed * 31 + i * i * 7) % 997)).join(' ')
const inputs = Array.from({ length: 20 }, (_, i) => {
  const { query, candidates } = clusteredContext(50, 384, i)
  const texts = candidates.map((_, j) => words(i * 50 + j))
  return { query, candidates, text: words(i), texts }
})
const prepared = inputs.map((all) => ({
  ...all, text: prepareText(all.text), texts: all.texts.map((text) => prepareText(text)) }))
const reranker = new Reranker()
const work = ({ query, candidates, text, texts }) =>
  reranker.rerank({ vector: query, text }, { vectors: candidates, texts })
figures['Reranker, 50 prepared texts'] = each(prepared, 1500, work)
figures['Reranker, 50 raw texts'] = each(inputs, 300, work)
console.log(JSON.stringify(figures))`
  return { unit: 'CPU µs per query', figures: (cwd) => printed(program, cwd) }
}

function search() {
  const program = `import { searchExact } from '@kith/stores'
const [rows, dimensions] = [50_000, 384]
const data = new Float32Array(new SharedArrayBuffer(rows * dimensions * 4))
for (let i = 0; i < data.length; i++) data[i] = Math.sin(i * 1.7 + (i % 1013)) / 20
const figures = {}
for (const queries of [1, 48, 200]) {
  const asked = { data: data.slice(0, queries * dimensions), rows: queries, dimensions }
  const search = () => searchExact(asked, { rows, dimensions, memory: data }, { top: 100, workers: 1 })
  await search()
  const start = process.cpuUsage()
  for (let i = 0; i < 3; i++) await search()
  const { user, system } = process.cpuUsage(start)
  figures[queries + ' queries at a time'] = (user + system) / 3 / queries
}
console.log(JSON.stringify(figures))`
  return {
    unit: 'CPU µs per query, 50,000 × 384, 1 worker',
    figures: (cwd) => printed(program, cwd),
  }
}

const shape = { documents: 50_000, queries: 5_000, dimensions: 384 }

/** CPU microseconds per query of pipelines, each a separate process. */
function perQuery(jobs) {
  return (cwd) =>
    Object.fromEntries(
      Object.entries(jobs).map(([name, job]) => {
        const { cpu } = timed([process.execPath, ...job()], cwd)
        return [name, (1e6 * cpu) / shape.queries]
      }),
    )
}

async function pipeline(folder) {
  const { given, texts } = await writeRerankFiles(folder, shape)
  const settings = presets['msmarco-tas-b']
  const jobs = {}
  for (const workers of [1, 2]) {
    const by = `, ${workers} worker${workers > 1 ? 's' : ''}`
    jobs[`vectors${by}`] = () => fresh('rerankRun', { ...given, settings, workers })
    jobs[`with texts${by}`] = () => fresh('rerankRun', { ...given, ...texts, workers })
  }
  const qrels = join(folder, 'qrels.trec')
  await writeLines(qrels, shape.queries, (q) => `${q} 0 ${q % shape.documents} 1\n`)
  jobs['eval of the run'] = () => fresh('evaluateRuns', { qrels, runs: [given.run] })
  return { unit: 'CPU µs per query', figures: perQuery(jobs) }
}

async function labels(folder) {
  const { given } = await writeRerankFiles(folder, shape)
  const qrels = join(folder, 'qrels.trec')
  await writeLines(qrels, shape.queries, (q) => `${q} 0 ${q % shape.documents} 1\n`)
  const { run, docs, queries } = given
  const out = join(folder, 'labels.jsonl')
  const inputs = { run, docs, queries, qrels, out, settings: labelPresets['paper-tas-b'] }
  const job = (workers) => () => {
    rmSync(out, { force: true })
    return fresh('labelRun', { ...inputs, workers }, '@kith/pipelines/labels')
  }
  return {
    unit: 'CPU µs per query',
    figures: perQuery({ '1 worker': job(1), '2 workers': job(2) }),
  }
}

async function serve(_folder, path) {
  const servers = { [root]: await serverProcess(1), [path]: await serverProcess(1, path) }
  const figures = async (cwd) => {
    const measured = {}
    for (const format of ['base64', 'arrays']) {
      const { serverCpu } = await load(servers[cwd === root ? root : path], { format, seconds: 2 })
      measured[format] = serverCpu
    }
    return measured
  }
  for (const cwd of [root, path]) await figures(cwd)
  return {
    unit: 'CPU ms per request of 60 × 384',
    figures,
    close() {
      for (const server of Object.values(servers)) server.stop()
    },
  }
}
