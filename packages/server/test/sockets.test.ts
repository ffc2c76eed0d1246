import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { base64, post, serve, vectors, Wire } from './support.ts'

const server = await serve({ limits: { seconds: 1, body: 200_000 } })
const body = requestOf(1)
const head = [
  'POST /v2/rerank HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  'Connection: close',
]
const whole = (text: string): string[] => [...head, `Content-Length: ${text.length}`, '', text]

/** Requests that go on while strange ones come; their answers must be those they always were. */
async function underLoad(attack: () => Promise<void>): Promise<number> {
  const bodies = Array.from({ length: 8 }, (_, seed) => requestOf(seed))
  const expected = await Promise.all(bodies.map(resultsOf))
  let done = 0
  let over = false
  const clients = bodies.map(async (request, i) => {
    while (!over) {
      expect(await resultsOf(request)).toEqual(expected[i])
      done++
    }
  })
  await attack().finally(() => {
    over = true
  })
  await Promise.all(clients)
  return done
}

test('answers a half-closed client with a complete request, and drops one without', async () => {
  const done = await underLoad(async () => {
    const complete = new Wire(server).send(...whole(body)).halfClose()
    expect(await complete.answer).toMatch(/^HTTP\/1.1 200 .*"results":\[\{"index":/s)
    const cut = Array.from({ length: 20 }, (_, i) =>
      new Wire(server)
        .send(...whole(body).slice(0, 5), '', body.slice(0, (body.length * i) / 20))
        .halfClose(),
    )
    for (const { answer } of cut) expect(await answer).not.toMatch(/ 200 /)
  })
  expect(done).toBeGreaterThan(0)
})

test('ends a request that is too slow, without blocking other clients', async () => {
  const done = await underLoad(async () => {
    const slow = Array.from({ length: 50 }, (_, i) =>
      // Some stop among the headers, some within the body.
      new Wire(server).send(
        ...(i % 2 ? head.slice(0, 2) : [...whole(body).slice(0, 5), '', '{"que']),
      ),
    )
    for (const { answer } of slow) expect(await answer).toMatch(/^HTTP\/1.1 408 /)
  })
  expect(done).toBeGreaterThan(0)
})

test('refuses a huge request by its Content-Length, or when it grows too large', async () => {
  const done = await underLoad(async () => {
    const announced = new Wire(server).send(...head, 'Content-Length: 99999999999', '', '{"a":')
    expect(await announced.answer).toMatch(/^HTTP\/1.1 413 .*larger than 200000 bytes/s)
    const growing = new Wire(server).send(...head, 'Transfer-Encoding: chunked', '', '')
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    for (let i = 0; i < 8 && !growing.socket.destroyed; i++) {
      growing.socket.write(chunk)
      await setTimeout(5)
    }
    expect(await growing.answer).toMatch(/^HTTP\/1.1 413 /)
    const headers = new Wire(server).send(head[0]!, `X-Long: ${'x'.repeat(100_000)}`, '', '')
    expect(await headers.answer).toMatch(/^HTTP\/1.1 431 /)
  })
  expect(done).toBeGreaterThan(0)
})

test('answers a malformed request with 400 and closes the connection', async () => {
  const done = await underLoad(async () => {
    const wrong = [
      ['\u0000\u0001\u0002\u0003', '', ''],
      ['GET / HTTP/9.9', '', ''],
      ['POST /v2/rerank HTTP/1.1', 'Host: localhost', 'Content-Length: -5', '', ''],
      [...head, 'Content-Length: 5', 'Transfer-Encoding: chunked', '', '0', '', ''],
      [...head, 'Transfer-Encoding: chunked', '', 'zz', 'x', ''],
      whole('{"query":'),
      whole('\u0000'.repeat(1000)),
    ]
    for (const lines of wrong) {
      expect(await new Wire(server).send(...lines).answer).toMatch(/^HTTP\/1.1 400 /)
    }
  })
  expect(done).toBeGreaterThan(0)
})

test('survives clients that disappear at any moment', async () => {
  const done = await underLoad(async () => {
    for (let i = 0; i < 40; i++) {
      const { socket } = new Wire(server).send(...whole(body))
      await setTimeout(i % 8)
      socket.resetAndDestroy()
    }
  })
  expect(done).toBeGreaterThan(0)
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  // This request itself is the one.
  expect(figures).toMatch(/kith_requests_in_progress 1\n/)
})

test('drops a client that does not read its answer', async () => {
  const patient = await serve({ limits: { seconds: 0.3, body: 2 ** 26 } })
  const text = 'x'.repeat(32_000)
  const large = JSON.stringify({
    query: { embedding: [1, 0] },
    documents: Array.from({ length: 800 }, (_, i) => ({ text, embedding: [1, i] })),
    return_documents: true,
  })
  const { socket, answer } = new Wire(patient).send(...whole(large))
  // Making the answer takes as long as the machine needs; from then on time counts.
  await once(socket, 'data')
  socket.pause()
  await setTimeout(4500)
  socket.resume()
  // What the system had taken over still arrives, the rest is gone.
  expect((await answer).length).toBeLessThan(large.length)
})

function requestOf(seed: number): string {
  const [query, ...documents] = vectors(21, 32, seed) as [Float32Array, ...Float32Array[]]
  return JSON.stringify({
    query: { embedding: base64(query) },
    documents: documents.map((vector, i) => ({
      embedding: i % 2 ? base64(vector) : Array.from(vector),
    })),
  })
}

async function resultsOf(request: string): Promise<unknown> {
  const response = await post(server, '/v2/rerank', request)
  expect(response.status).toBe(200)
  return ((await response.json()) as { results: unknown }).results
}
