/**
 * `npm run bench -- summary`: each ratio that Kith promises, its goal, and whether it holds, in under
 * five minutes on a quiet machine. Prints the Markdown of the section Goals of docs/results.md.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { kernel, labelPresets, presets } from '@kith/core'
import { measureGenerations } from './generations.mjs'
import { measureLists } from './lists.mjs'
import { median } from './measure.mjs'
import { openTwice } from './opened-collection.mjs'
import { englishPassages, passages } from './passages.mjs'
import { writeRerankFiles } from './pipeline.mjs'
import { fresh, timed } from './processes.mjs'
import { measurePublicCall } from './public-call.mjs'
import { workerTimes } from './serve-workers.mjs'
import { load, serverProcess } from './server-process.mjs'
import { measureStatistics } from './statistics.mjs'
import { measureTexts } from './text.mjs'
import { writeTopicalFiles, writeTopicalRun } from './topical-files.mjs'
import { writeLines } from './write-lines.mjs'

/** The goals: `most` is the largest figure that holds, `least` the smallest; figures without a goal are only shown. */
const goals = {
  call60: { what: '`rerank`, 60 × 768, ÷ onnxruntime’s Gemm', most: 1.35 },
  call200: { what: '`rerank`, 200 × 768, ÷ Gemm', most: 1.3 },
  call1000: { what: '`rerank`, 1,000 × 768, ÷ Gemm', most: 1.3 },
  reranker60: { what: '`Reranker`, 60 × 768, ÷ Gemm', most: 1.35 },
  reranker200: { what: '`Reranker`, 200 × 768, ÷ Gemm', most: 1.3 },
  reranker1000: { what: '`Reranker`, 1,000 × 768, ÷ Gemm', most: 1.3 },
  thirdPrepared: { what: 'default ÷ preset balanced-2, prepared English texts', most: 1.2 },
  thirdRaw: { what: 'default ÷ preset balanced-2, raw English texts', most: 1.15 },
  madeUpPrepared: { what: 'default ÷ preset balanced-2, prepared made-up words', most: 1.2 },
  madeUpRaw: { what: 'default ÷ preset balanced-2, raw made-up words', most: 1.15 },
  lists: { what: '`shortlist` with collapse, groups and priors ÷ `rerank`', most: 1.15 },
  relevance: { what: '`shortlist` with estimated relevance, `onTopic` not read, ÷ without' },
  gramTime: { what: 'Gram matrix, 51 × 768', unit: 'ms' },
  preparedTime: { what: 'text view of 50 prepared texts of 100 words', unit: 'ms' },
  preparedGram: { what: 'text view of prepared texts ÷ Gram matrix' },
  rawTime: { what: 'text view of 50 raw texts of 100 words', unit: 'ms' },
  rawGram: { what: 'text view of raw texts ÷ Gram matrix' },
  spanish: { what: 'raw texts in Spanish ÷ in English', most: 1.5 },
  german: { what: 'raw texts in German ÷ in English', most: 1.5 },
  statistics: {
    what: 'term statistics of a million passages in German, CPU',
    most: 12,
    unit: 's',
  },
  fileCpu: {
    what: '`rerankRun`, 10,000 × 60 × 768, 300,000 documents, 2 workers, CPU per query',
    most: 400,
    unit: 'µs',
  },
  fileTwo: { what: 'the same, 2 workers × 1 worker', least: 1.5 },
  fileCores: { what: 'the same, 2 workers × 1 worker that has only one core' },
  textsTwo: {
    what: '`rerankRun` with texts, 50,000 documents, 2 workers × 1 worker',
    least: 1.5,
  },
  textsCores: { what: 'the same, 2 workers × 1 worker that has only one core' },
  labelsTwo: { what: '`labelRun`, 50,000 documents, 2 workers × 1 worker', least: 1.5 },
  labelsCores: { what: 'the same, 2 workers × 1 worker that has only one core' },
  serveArrays: { what: 'server, 60 × 384 as arrays, CPU per request', most: 1.2, unit: 'ms' },
  serveBase64: { what: 'server, 60 × 384 as base64, CPU per request', unit: 'ms' },
  serveArraysSlowest: {
    what: 'server, arrays, p99 at half of the peak (8 seconds)',
    most: 25,
    unit: 'ms',
  },
  serveBase64Slowest: {
    what: 'server, base64, p99 at half of the peak (8 seconds)',
    most: 15,
    unit: 'ms',
  },
  serveTwo: { what: 'server, 2 workers × 1, by CPU time of the busiest thread', least: 1.6 },
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
  const [load] = loadavg()
  const figures = {}
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  try {
    for (const measure of [calls, texts, manyDocuments, files, server, evaluation, collection]) {
      const begun = performance.now()
      process.stderr.write(`measuring ${measure.name} …`)
      Object.assign(figures, await measure(folder))
      process.stderr.write(` ${((performance.now() - begun) / 1000).toFixed(0)} s\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const minutes = ((performance.now() - start) / 60_000).toFixed(1)
  const machine = `Node ${process.version}, ${cpus().length} cores of ${cpus()[0].model}, kernel ${kernel()}`
  const held = Object.entries(figures).map(([name, value]) => holds(name, value))
  const [kept, missed] = [true, false].map((wanted) => held.filter((one) => one === wanted).length)
  console.log(
    `\nOne run of ${minutes} minutes (${machine}, load ${load.toFixed(1)} at the start): ${kept} goals hold, ${missed} do not. Ratios vary by up to 0.15 between runs.\n`,
  )
  console.log(summaryTable(figures))
}

/** Whether a figure meets its goal; undefined if it has none. */
function holds(name, value) {
  const { most, least } = goals[name]
  if (most === undefined && least === undefined) return undefined
  return most === undefined ? value >= least : value <= most
}

/** The table of docs/results.md. */
function summaryTable(figures) {
  const rows = Object.entries(goals).flatMap(([name, { what, most, least, unit }]) => {
    if (!(name in figures)) return []
    const shown = (number) => {
      const digits = number < 1 && unit ? 3 : number < 10 ? 2 : 0
      return `${number.toFixed(digits)}${unit ? ` ${unit}` : ''}`
    }
    const value = figures[name]
    const held = holds(name, value)
    if (held === undefined) return [`| ${what} | ${shown(value)} | | |`]
    const goal = most === undefined ? `≥ ${shown(least)}` : `≤ ${shown(most)}`
    return [`| ${what} | ${shown(value)} | ${goal} | ${held ? 'yes' : 'no'} |`]
  })
  return ['| measured | figure | goal | holds |', '|---|---|---|---|', ...rows].join('\n')
}

async function calls() {
  const figures = {}
  for (const size of [60, 200, 1000]) {
    const times = await measurePublicCall(size)
    figures[`call${size}`] = times['rerank, matrix'] / times.gemm
    figures[`reranker${size}`] = times['Reranker, matrix'] / times.gemm
  }
  return figures
}

async function texts() {
  const times = await measureGenerations(await englishPassages(), 384, 10)
  const madeUp = await measureGenerations(passages, 384, 10)
  const lists = await measureLists()
  const views = await measureTexts(400)
  return {
    thirdPrepared: times.thirdPrepared / times.secondPrepared,
    thirdRaw: times.thirdRaw / times.secondRaw,
    madeUpPrepared: madeUp.thirdPrepared / madeUp.secondPrepared,
    madeUpRaw: madeUp.thirdRaw / madeUp.secondRaw,
    lists: lists.lists / lists.rerank,
    relevance: lists.estimated / lists.lists,
    gramTime: views.gram,
    preparedTime: views.prepared,
    preparedGram: views.prepared / views.gram,
    rawTime: views.raw,
    rawGram: views.raw / views.gram,
    spanish: views.spanish / views.raw,
    german: views.german / views.raw,
    statistics: measureStatistics('german', 50_000).seconds * 20,
  }
}

/** From file to file, with the embeddings of 300,000 documents. */
async function manyDocuments(folder) {
  const shape = { documents: 300_000, queries: 10_000, dimensions: 768 }
  const files = await writeTopicalFiles(folder, { ...shape, seed: 2 })
  const run = join(folder, 'run.trec')
  await writeTopicalRun(run, { ...shape, candidates: 60 })
  const inputs = { run, ...files, out: join(folder, 'better.trec') }
  const settings = presets['msmarco-tas-b']
  const of = inTurns({
    many: (workers) => fresh('rerankRun', { ...inputs, settings, workers }),
  })
  return {
    fileCpu: (1e6 * of('many', 2, 'cpu')) / shape.queries,
    fileTwo: of('many', 1, 'seconds') / of('many', 2, 'seconds'),
    fileCores: of('many', 'alone', 'seconds') / of('many', 2, 'seconds'),
  }
}

/** From file to file with texts, and labels. */
async function files(folder) {
  const shape = { documents: 50_000, queries: 10_000, dimensions: 768 }
  const { given, texts } = await writeRerankFiles(folder, shape)
  const qrels = join(folder, 'qrels.trec')
  await writeLines(qrels, shape.queries, (q) => `${q} 0 ${q % shape.documents} 1\n`)
  const { run, docs, queries } = given
  const labels = { run, docs, queries, qrels, settings: labelPresets['paper-tas-b'] }
  const of = inTurns({
    texts: (workers) => fresh('rerankRun', { ...given, ...texts, workers }),
    labels: (workers) => {
      const out = join(folder, `labels-${workers}.jsonl`)
      rmSync(out, { force: true })
      return fresh('labelRun', { ...labels, out, workers }, '@kith/pipelines/labels')
    },
  })
  const two = (name, other = 1) => of(name, other, 'seconds') / of(name, 2, 'seconds')
  return {
    ...{ textsTwo: two('texts'), textsCores: two('texts', 'alone') },
    ...{ labelsTwo: two('labels'), labelsCores: two('labels', 'alone') },
  }
}

/**
 * Runs each job with one worker and with two, three times in turns, and once with one worker `alone`
 * on one core: otherwise a single worker uses the other core, too, for reading files, compiling and
 * collecting garbage. Returns medians of their figures.
 */
function inTurns(jobs) {
  const results = {}
  for (const [name, job] of Object.entries(jobs)) {
    results[`${name}alone`] = [timed(['taskset', '-c', '0', process.execPath, ...job(1)])]
  }
  for (let round = 0; round < 3; round++) {
    for (const [name, job] of Object.entries(jobs)) {
      for (const workers of [1, 2]) {
        results[name + workers] ??= []
        results[name + workers].push(timed([process.execPath, ...job(workers)]))
      }
    }
  }
  return (name, workers, figure) => median(results[name + workers].map((result) => result[figure]))
}

async function server() {
  const one = await serverProcess(1)
  try {
    const arrays = await serverFigures(one, 'arrays')
    const base64 = await serverFigures(one, 'base64')
    const { ratio } = await workerTimes('base64')
    return {
      serveArrays: arrays.cpu,
      serveBase64: base64.cpu,
      serveArraysSlowest: arrays.slowest,
      serveBase64Slowest: base64.slowest,
      serveTwo: ratio,
    }
  } finally {
    await one.stop()
  }
}

/** CPU time per request at the peak, and the slowest hundredth at half of it. */
async function serverFigures(server, format) {
  await load(server, { format, seconds: 2 })
  const peaks = []
  for (let i = 0; i < 3; i++) peaks.push(await load(server, { format, seconds: 2 }))
  const of = (figure) => median(peaks.map((peak) => peak[figure]))
  const { p99 } = await load(server, { format, seconds: 8, rate: of('rate') / 2 })
  return { cpu: of('serverCpu'), slowest: p99 }
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
  const [, again] = await openTwice(documents, dimensions)
  return {
    collectionOpen: again.open / 1000,
    collectionSearch: again.search,
    collectionMemory: (again.memory * 2 ** 20) / (documents * dimensions * 4),
  }
}
