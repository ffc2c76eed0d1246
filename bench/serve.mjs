/**
 * The rerank server under load, server and load generator in separate processes: rerank
 * of 60 embedded documents. First as fast as it goes, then at half of that, where latencies count
 * from the moment a request was due; then one process beside two (serve-workers.mjs). `--minutes=5`
 * keeps half of the peak up so long in each format, and tells the slowest hundredth and the server's
 * memory. CPU time counts the server only.
 */
import { loadavg } from 'node:os'
import { table } from './measure.mjs'
import { printWorkers } from './serve-workers.mjs'
import { DIMENSIONS, DOCUMENTS, load, serverProcess } from './server-process.mjs'

/** Milliseconds within which the slowest hundredth is to be answered at half of the peak, by format. */
const SLOWEST = { base64: 15, arrays: 25 }

export async function run() {
  const minutes = Number(/^--minutes=([\d.]+)$/m.exec(process.argv.join('\n'))?.[1] ?? 0)
  const server = await serverProcess(1)
  try {
    console.log(`\nrerank server: rerank of ${DOCUMENTS} documents of ${DIMENSIONS} numbers\n`)
    const peaks = await oneProcess(server)
    for (const [format, peak] of minutes > 0 ? peaks : []) {
      await soak(server, minutes, format, peak / 2)
    }
  } finally {
    await server.stop()
  }
  await printWorkers()
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
