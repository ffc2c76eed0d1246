/**
 * `npm run bench -- summary`: each ratio that Kith promises, its goal, and whether it holds, in under
 * five minutes. Prints the Markdown table of docs/results.md.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { kernel, labelPresets, presets } from '@kith/core'
import { measureGenerations } from './generations.mjs'
import { measureLists } from './lists.mjs'
import { median } from './measure.mjs'
import { openTwice } from './opened-collection.mjs'
import { englishPassages } from './passages.mjs'
import { writeRerankFiles } from './pipeline.mjs'
import { fresh, timed } from './processes.mjs'
import { measurePublicCall } from './public-call.mjs'
import { cpuOfEach, load, serverProcess } from './serve.mjs'
import { measureTexts } from './text.mjs'
import { writeLines } from './write-lines.mjs'

/** The goals: `most` is the largest figure that holds, `least` the smallest; figures without a goal are only shown. */
const goals = {
  call60: { what: '`rerank`, 60 × 768, ÷ onnxruntime’s Gemm', most: 1.35 },
  call200: { what: '`rerank`, 200 × 768, ÷ Gemm', most: 1.3 },
  call1000: { what: '`rerank`, 1,000 × 768, ÷ Gemm', most: 1.3 },
  reranker60: { what: '`Reranker`, 60 × 768, ÷ Gemm', most: 1.35 },
  thirdPrepared: { what: 'default ÷ preset balanced-2, prepared texts', most: 1.2 },
  thirdRaw: { what: 'default ÷ preset balanced-2, raw texts', most: 1.15 },
  lists: { what: '`shortlist` with collapse, groups and priors ÷ `rerank`', most: 1.15 },
  relevance: { what: '`shortlist` with estimated relevance, `onTopic` not read, ÷ without' },
  spanish: { what: 'raw texts in Spanish ÷ in English', most: 1.5 },
  german: { what: 'raw texts in German ÷ in English', most: 1.5 },
  fileCpu: {
    what: '`rerankRun`, 10,000 × 60 × 768, 2 workers, CPU per query',
    most: 400,
    unit: 'µs',
  },
  fileTwo: { what: '`rerankRun`, 2 workers × 1 worker', least: 1.5 },
  textsTwo: { what: '`rerankRun` with texts, 2 workers × 1 worker', least: 1.5 },
  labelsTwo: { what: '`labelRun`, 2 workers × 1 worker', least: 1.5 },
  serveArrays: { what: 'server, 60 × 384 as arrays, CPU per request', most: 1.2, unit: 'ms' },
  serveBase64: { what: 'server, 60 × 384 as base64, CPU per request', unit: 'ms' },
  serveTwo: { what: 'server, 2 workers × 1 by CPU time', least: 1.6 },
  collectionOpen: {
    what: '`openCollection`, 100,000 × 384, the second time, CPU',
    most: 3,
    unit: 's',
  },
  collectionSearch: { what: 'its search, encoder apart, CPU', most: 40, unit: 'ms' },
  collectionMemory: { what: 'its memory ÷ the vectors’ size', most: 1.3 },
  evalMemory: { what: '`evaluateRuns`, memory of a run 16 × as long ÷ 1 ×', most: 1.3 },
}

export async function run() {
  const start = performance.now()
  const figures = {}
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    for (const measure of [calls, texts, files, server, evaluation, collection]) {
      process.stderr.write(`measuring ${measure.name} …\n`)
      Object.assign(figures, await measure(folder))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const minutes = ((performance.now() - start) / 60_000).toFixed(1)
  console.log(`\n${summaryTable(figures)}\n`)
  console.log(
    `Node ${process.version}, ${cpus()[0].model}, kernel ${kernel()}, ${minutes} minutes.`,
  )
}

/** The table of docs/results.md. */
function summaryTable(figures) {
  const rows = Object.entries(figures).map(([name, value]) => {
    const { what, most, least, unit } = goals[name]
    const shown = (number) =>
      `${number < 10 ? number.toFixed(2) : number.toFixed(0)}${unit ? ` ${unit}` : ''}`
    if (most === undefined && least === undefined) return `| ${what} | ${shown(value)} | | |`
    const goal = most === undefined ? `≥ ${shown(least)}` : `≤ ${shown(most)}`
    const holds = most === undefined ? value >= least : value <= most
    return `| ${what} | ${shown(value)} | ${goal} | ${holds ? 'yes' : 'no'} |`
  })
  return ['| measured | figure | goal | holds |', '|---|---|---|---|', ...rows].join('\n')
}

async function calls() {
  const figures = {}
  for (const size of [60, 200, 1000]) {
    const times = await measurePublicCall(size)
    figures[`call${size}`] = times['rerank, matrix'] / times.gemm
    if (size === 60) figures.reranker60 = times['Reranker, matrix'] / times.gemm
  }
  return figures
}

async function texts() {
  const times = await measureGenerations(await englishPassages(), 384, 10)
  const lists = await measureLists(400)
  const views = await measureTexts(400)
  return {
    thirdPrepared: times.thirdPrepared / times.secondPrepared,
    thirdRaw: times.thirdRaw / times.secondRaw,
    lists: lists.lists / lists.rerank,
    relevance: lists.estimated / lists.lists,
    spanish: views.spanish / views.raw,
    german: views.german / views.raw,
  }
}

/** From file to file: three rounds of each, in turns. */
async function files(folder) {
  const shape = { documents: 50_000, queries: 10_000, dimensions: 768 }
  const { given, texts } = await writeRerankFiles(folder, shape)
  const qrels = join(folder, 'qrels.trec')
  await writeLines(qrels, shape.queries, (q) => `${q} 0 ${q % shape.documents} 1\n`)
  const { run, docs, queries } = given
  const labels = { run, docs, queries, qrels, settings: labelPresets['paper-tas-b'] }
  const jobs = {
    file: (workers) =>
      fresh('rerankRun', { ...given, settings: presets['msmarco-tas-b'], workers }),
    texts: (workers) => fresh('rerankRun', { ...given, ...texts, workers }),
    labels: (workers) => {
      const out = join(folder, `labels-${workers}.jsonl`)
      rmSync(out, { force: true })
      return fresh('labelRun', { ...labels, out, workers }, '@kith/pipelines/labels')
    },
  }
  const results = {}
  for (let round = 0; round < 3; round++) {
    for (const [name, job] of Object.entries(jobs)) {
      for (const workers of [1, 2]) {
        const key = name + workers
        results[key] ??= []
        results[key].push(timed([process.execPath, ...job(workers)]))
      }
    }
  }
  const of = (key, figure) => median(results[key].map((result) => result[figure]))
  return {
    fileCpu: (1e6 * of('file2', 'cpu')) / shape.queries,
    fileTwo: of('file1', 'seconds') / of('file2', 'seconds'),
    textsTwo: of('texts1', 'seconds') / of('texts2', 'seconds'),
    labelsTwo: of('labels1', 'seconds') / of('labels2', 'seconds'),
  }
}

async function server() {
  const [one, two] = [await serverProcess(1), await serverProcess(2)]
  const cpu = async (server, format) => {
    await load(server, { format, seconds: 2 })
    const rounds = []
    for (let i = 0; i < 3; i++) rounds.push(await load(server, { format, seconds: 2 }))
    return median(rounds.map(({ serverCpu }) => serverCpu))
  }
  try {
    const [ofOne, ofTwo] = await cpuOfEach(one, two)
    return {
      serveArrays: await cpu(one, 'arrays'),
      serveBase64: await cpu(one, 'base64'),
      serveTwo: (2 * ofOne) / ofTwo,
    }
  } finally {
    one.stop()
    two.stop()
  }
}

/** The memory of an evaluation, which must not grow with the run. */
async function evaluation(folder) {
  const queries = 500
  const qrels = join(folder, 'some.trec')
  await writeLines(qrels, queries, (q) => `${q} 0 ${q} 1\n`)
  const peaks = []
  for (const times of [4, 64]) {
    const run = join(folder, `eval${times}.trec`)
    await writeLines(run, queries, (q) => {
      let lines = ''
      for (let rank = 1; rank <= 240 * times; rank++) {
        lines += `${q} Q0 ${q * 7 + rank * 13} ${rank} ${(100_000 - rank).toFixed(1)} bench\n`
      }
      return lines
    })
    peaks.push(
      timed([process.execPath, ...fresh('evaluateRuns', { qrels, runs: [run] })]).megabytes,
    )
  }
  return { evalMemory: peaks[1] / peaks[0] }
}

/** A collection that is opened the second time. */
async function collection() {
  const [documents, dimensions] = [100_000, 384]
  const [, again] = (await openTwice(documents, dimensions)) ?? []
  if (!again) return {}
  return {
    collectionOpen: again.open / 1000,
    collectionSearch: again.search,
    collectionMemory: (again.memory * 2 ** 20) / (documents * dimensions * 4),
  }
}
