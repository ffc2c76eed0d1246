/**
 * The load generator of `server-process.mjs`, a separate process: sends rerank requests that were made
 * beforehand over some connections, and prints what it measured as JSON.
 *
 * At a given rate, requests have a due time, and latencies count from it: a server that
 * stands still cannot hide that by receiving fewer requests. Without a rate, each
 * connection sends the next request when it has the answer to the last, until the time is over or it
 * has sent a given number of requests.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { clusteredContext } from './clusters.mjs'

const { port, format, connections, seconds, rate, documents, dimensions, ...job } = JSON.parse(
  process.argv[2],
)
const requests = Array.from({ length: 50 }, (_, seed) => requestOf(seed))
const latencies = []
const statuses = {}
const waiting = []
const idle = []
let next = 0
let late = 0

const cpu = process.cpuUsage()
const start = performance.now()
const end = seconds ? start + seconds * 1000 : Infinity
const lines = []
for (let i = 0; i < connections; i++) {
  const line = new Line()
  lines.push(line)
  if (rate) idle.push(line)
  else {
    // Clients arrive one after another: of many connections at once, a worker that is not running
    // gets few.
    line.send(performance.now())
    await line.answered
  }
}
if (rate) schedule()
await Promise.all(lines.map((line) => line.closed))
const elapsed = (performance.now() - start) / 1000
const { user, system } = process.cpuUsage(cpu)
latencies.sort((a, b) => a - b)
const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))]
console.log(
  JSON.stringify({
    rate: latencies.length / elapsed,
    p50: quantile(0.5),
    p99: quantile(0.99),
    most: latencies.at(-1),
    /** Milliseconds of CPU time of this process for each request. */
    cpu: (user + system) / 1000 / latencies.length,
    statuses,
    late,
  }),
)

/** Hands requests that are due to connections that are free. */
function schedule() {
  const now = performance.now()
  if (now >= end) {
    for (const line of idle) line.finish()
    late = waiting.length
    waiting.length = 0
    return
  }
  while (start + (next * 1000) / rate <= now) waiting.push(start + (next++ * 1000) / rate)
  while (waiting.length > 0 && idle.length > 0) idle.pop().send(waiting.shift())
  setTimeout(schedule, 1)
}

/** A kept connection: one request at a time, and just enough HTTP to read its answer. */
function Line() {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  let due = 0
  let received = ''
  let left = job.requests ?? Infinity
  this.send = (time) => {
    due = time
    socket.write(requests[Math.floor(Math.random() * requests.length)])
  }
  this.finish = () => socket.end()
  this.closed = new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', resolve)
  })
  this.answered = once(socket, 'data')
  socket.setEncoding('latin1')
  socket.on('data', (data) => {
    received += data
    const head = received.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(received)[1])
    if (received.length < head + 4 + length) return
    const status = received.slice(9, 12)
    received = ''
    statuses[status] = (statuses[status] ?? 0) + 1
    const now = performance.now()
    latencies.push(now - due)
    if (now >= end || --left === 0) this.finish()
    else if (!rate) this.send(now)
    else if (waiting.length > 0) this.send(waiting.shift())
    else idle.push(this)
  })
}

function requestOf(seed) {
  const { query, candidates } = clusteredContext(documents, dimensions, seed)
  const embedding = (vector) =>
    format === 'base64'
      ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
      : Array.from(vector)
  const body = JSON.stringify({
    model: 'kith',
    query: { embedding: embedding(query) },
    documents: candidates.map((vector) => ({ embedding: embedding(vector) })),
    top_n: 10,
  })
  const head = [
    'POST /v2/rerank HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
