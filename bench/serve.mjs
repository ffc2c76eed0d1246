/**
 * The rerank server under load, server and load generator in separate processes: rerank
 * of 60 embedded documents. First as fast as it goes, then at half of that, where latencies count
 * from the moment a request was due; then one process beside two. `--minutes=5` keeps half of
 * the peak up so long in each format, and tells the slowest hundredth and the server's memory.
 *
 * CPU time counts the server only. Two cores cannot show what two workers can do, since the
 * load generator needs some of them: one process and two get the same requests, fewer than one can
 * answer, and what two cores would do follows from the CPU time of each request.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { median, table } from './measure.mjs'
import { root } from './processes.mjs'

const DOCUMENTS = 60
const DIMENSIONS = 384
/** Milliseconds within which the slowest hundredth is to be answered at half of the peak, by format. */
const SLOWEST = { base64: 15, arrays: 25 }
/** Rounds of one process and of two, which alternate, and their requests per second. */
const ROUNDS = 5
const RATE = 300

export async function run() {
  const minutes = Number(/^--minutes=([\d.]+)$/m.exec(process.argv.join('\n'))?.[1] ?? 0)
  const [one, two] = [await serverProcess(1), await serverProcess(2)]
  try {
    console.log(`\nrerank server: rerank of ${DOCUMENTS} documents of ${DIMENSIONS} numbers\n`)
    const peaks = await oneProcess(one)
    await oneAndTwo(one, two)
    for (const [format, peak] of minutes > 0 ? peaks : []) {
      await soak(one, minutes, format, peak / 2)
    }
  } finally {
    one.stop()
    two.stop()
  }
}

/** One process, as fast as it goes and at half of that; the peak of each format. */
async function oneProcess(server) {
  const head = ['embeddings', 'asked/s', 'done/s', 'p50 ms', 'p99 ms', 'most ms']
  const rows = [[...head, 'CPU ms per request', 'requests/s per core', 'p99 at most']]
  const peaks = []
  for (const [format, slowest] of Object.entries(SLOWEST)) {
    await load(server, { format, seconds: 3 })
    const peak = await load(server, { format, seconds: 6 })
    const rate = Math.round(peak.rate / 2)
    const half = await load(server, { format, seconds: 10, rate })
    peaks.push([format, peak.rate])
    rows.push([format, 'all', ...figures(peak), ''], [format, rate, ...figures(half), slowest])
  }
  console.log(table(rows))
  return peaks
}

function figures({ rate, p50, p99, most, serverCpu }) {
  const latencies = [p50, p99, most].map((ms) => ms.toFixed(1))
  return [rate.toFixed(0), ...latencies, serverCpu.toFixed(2), (1000 / serverCpu).toFixed(0)]
}

/** Milliseconds of CPU time per request of each server: medians of rounds that alternate. */
export async function cpuOfEach(...servers) {
  const rounds = servers.map(() => [])
  for (const server of servers) await load(server, { format: 'base64', seconds: 4 })
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, server] of servers.entries()) {
      rounds[i].push(await load(server, { format: 'base64', seconds: 3, rate: RATE }))
    }
  }
  return rounds.map((results) => median(results.map(({ serverCpu }) => serverCpu)))
}

/** One process beside two workers. */
async function oneAndTwo(...servers) {
  const [one, two] = await cpuOfEach(...servers)
  const row = (name, cpu, cores) => [name, cpu.toFixed(2), ((1000 * cores) / cpu).toFixed(0)]
  console.log(`\nworkers, base64, ${RATE} requests a second\n`)
  console.log(
    table([
      ['workers', 'CPU ms per request', 'requests/s on a core each'],
      row('1', one, 1),
      row('2', two, 2),
      ['ratio', (two / one).toFixed(2), ((2 * one) / two).toFixed(2)],
    ]),
  )
}

/** The server's slowest hundredth and its memory over some minutes at a rate. */
async function soak(server, minutes, format, rate) {
  const rows = [['minute', 'done/s', 'p99 ms', 'at most', 'failed', 'memory MB', 'load']]
  const parts = Math.max(2, Math.ceil(minutes))
  for (let part = 1; part <= parts; part++) {
    const seconds = (minutes * 60) / parts
    const result = await load(server, { format, seconds, rate })
    rows.push([
      ((minutes * part) / parts).toFixed(1),
      result.rate.toFixed(0),
      result.p99.toFixed(1),
      SLOWEST[format],
      result.failed + result.late,
      (server.memory() / 2 ** 20).toFixed(0),
      loadavg()[0].toFixed(1),
    ])
  }
  console.log(`\n${format} at ${rate.toFixed(0)} requests a second\n`)
  console.log(table(rows))
}

/**
 * Runs the load generator; returns its measurements, and the CPU time of the server for each
 * request.
 */
export async function load(server, options) {
  const { port } = server
  const job = { port, documents: DOCUMENTS, dimensions: DIMENSIONS, connections: 8, ...options }
  const file = fileURLToPath(new URL('serve-load.mjs', import.meta.url))
  const before = server.cpu()
  const child = spawn(process.execPath, [file, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (data) => {
    printed += data
  })
  await once(child, 'close')
  const result = JSON.parse(printed)
  const done = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  const failed = done - (result.statuses['200'] ?? 0)
  if (failed > 0) console.log('some requests failed:', result.statuses)
  return { ...result, failed, serverCpu: (server.cpu() - before) / done }
}

/** Separate processes, so that CPU time and memory are the server's. */
export async function serverProcess(workers, cwd = root) {
  const program = `import { startServer } from '@kith/server'
const server = await startServer({ port: 0, workers: ${workers} })
console.log(server.url)
process.once('SIGTERM', () => server.close())`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd,
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const read = (pid, name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const children = read(child.pid, `task/${child.pid}/children`).split(' ').filter(Boolean)
  const total = (figure) => [child.pid, ...children].reduce((sum, pid) => sum + figure(pid), 0)
  return {
    port: Number(new URL(line).port),
    /** Milliseconds of CPU time so far; Linux counts hundredths of a second. */
    cpu: () =>
      total((pid) => {
        const fields = read(pid, 'stat').split(') ')[1].split(' ')
        return (Number(fields[11]) + Number(fields[12])) * 10
      }),
    memory: () => total((pid) => Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status'))[1]) * 1024),
    stop: () => child.kill('SIGTERM'),
  }
}
