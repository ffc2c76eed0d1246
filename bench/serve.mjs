/**
 * The rerank server under load, server and load generator each in a process of its own: rerank
 * of 60 embedded documents. First as fast as it goes, then at the rates that were promised,
 * where latencies count from the moment a request was due. `--minutes=10` keeps that up, and
 * tells how much memory the server has before and after.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { table } from './measure.mjs'

/** A process of its own, so that CPU time and memory are the server's. */
const program = `import { startServer } from '@kith/studio'
const server = await startServer({ port: 0 })
console.log(server.url)
process.once('SIGTERM', () => server.close())`

const DOCUMENTS = 60
const DIMENSIONS = 384
/** Requests a second that the server shall bear, and milliseconds of its slowest hundredth. */
const GOALS = { base64: 500, arrays: 150 }
const SLOWEST = 50

export async function run() {
  const minutes = Number(/^--minutes=([\d.]+)$/.exec(process.argv.at(-1))?.[1] ?? 0)
  const server = await serverProcess()
  try {
    const rows = []
    for (const format of ['base64', 'arrays']) {
      await load(server.port, { format, seconds: 3 })
      rows.push(await measure(server, { format, seconds: 6 }))
      rows.push(await measure(server, { format, seconds: 10, rate: GOALS[format] }))
    }
    console.log(`\nrerank server: rerank of ${DOCUMENTS} documents of ${DIMENSIONS} numbers\n`)
    console.log(
      table([
        [
          'embeddings',
          'asked/s',
          'done/s',
          'p50 ms',
          'p99 ms',
          'most ms',
          'CPU ms each',
          'p99 at most',
        ],
        ...rows,
      ]),
    )
    if (minutes > 0) await soak(server, minutes)
  } finally {
    server.stop()
  }
}

/** The server's memory over some minutes at the promised rate. */
async function soak(server, minutes) {
  const rows = [['minute', 'done/s', 'p99 ms', 'failed', 'memory MB']]
  const parts = Math.max(2, Math.ceil(minutes))
  for (let part = 1; part <= parts; part++) {
    const seconds = (minutes * 60) / parts
    const result = await load(server.port, { format: 'base64', seconds, rate: GOALS.base64 })
    const failed = Object.entries(result.statuses).reduce(
      (sum, [status, count]) => sum + (status === '200' ? 0 : count),
      result.late,
    )
    rows.push([
      ((minutes * part) / parts).toFixed(1),
      result.rate.toFixed(0),
      result.p99.toFixed(1),
      failed,
      (server.memory() / 2 ** 20).toFixed(0),
    ])
  }
  console.log(`\nbase64 at ${GOALS.base64} requests a second\n`)
  console.log(table(rows))
}

async function measure(server, options) {
  const before = server.cpu()
  const result = await load(server.port, options)
  const done = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  if (result.statuses['200'] !== done) console.log('not all went well:', result.statuses)
  return [
    options.format,
    options.rate ?? 'all',
    result.rate.toFixed(0),
    result.p50.toFixed(1),
    result.p99.toFixed(1),
    result.most.toFixed(1),
    ((server.cpu() - before) / done).toFixed(2),
    options.rate ? SLOWEST : '',
  ]
}

/** Runs the load generator; what it measured. */
async function load(port, options) {
  const job = { port, documents: DOCUMENTS, dimensions: DIMENSIONS, connections: 8, ...options }
  const file = fileURLToPath(new URL('serve-load.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (data) => {
    printed += data
  })
  await once(child, 'close')
  return JSON.parse(printed)
}

async function serverProcess() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const read = (name) => readFileSync(`/proc/${child.pid}/${name}`, 'utf8')
  return {
    port: Number(new URL(line).port),
    /** Milliseconds of CPU time so far; Linux counts hundredths of a second. */
    cpu: () => {
      const fields = read('stat').split(') ')[1].split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(read('status'))[1]) * 1024,
    stop: () => child.kill('SIGTERM'),
  }
}
