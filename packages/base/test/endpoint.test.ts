import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { endpointKey, openEndpoint } from '../src/endpoint.ts'

interface Asked {
  path: string
  key: string | undefined
  input: string[]
  model: string
}

afterEach(() => vi.unstubAllEnvs())

/** A real server whose answers a test decides; an undefined answer is a good one, of two dimensions. */
async function endpoint(
  respond: (asked: Asked, count: number, response: ServerResponse) => unknown = () => undefined,
) {
  const asked: Asked[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = JSON.parse(Buffer.concat(parts).toString())
    const { url = '', headers } = request
    const one = { ...body, path: url, key: headers.authorization }
    asked.push(one)
    const given = await respond(one, asked.length, response)
    if (response.writableEnded || response.headersSent) return
    // Rows come in any order; the index says whose they are.
    const data = one.input.map((text: string, index: number) => {
      return { index, embedding: [text.length, index] }
    })
    response.end(JSON.stringify(given ?? { data: data.reverse(), usage: { prompt_tokens: 7 } }))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const quick = { model: 'm', firstWait: 1 }

test('sends texts in batches, with prefixes and the key of the environment, and keeps their order', async () => {
  vi.stubEnv(endpointKey, 'secret')
  const { url, asked } = await endpoint()
  const opened = await openEndpoint(url, { ...quick, queryPrefix: 'query: ' })
  const texts = Array.from({ length: 100 }, (_, i) => 'x'.repeat(i))
  const { data, dimensions } = await opened.encode(texts, { role: 'query' })
  expect(dimensions).toBe(2)
  expect(texts.map((_, i) => data[2 * i])).toEqual(texts.map((text) => text.length + 7))
  expect(asked.map(({ input }) => input.length)).toEqual([1, 32, 32, 32, 4])
  expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v1/embeddings']))
  expect(new Set(asked.map(({ key, model }) => `${key} ${model}`))).toEqual(
    new Set(['Bearer secret m']),
  )
  const long = ['a'.repeat(150_000), 'b'.repeat(150_000)]
  await opened.encode(long)
  expect(asked.slice(-2).map(({ input }) => input.length)).toEqual([1, 1])
})

test.each([
  ['/v1', '/v1/embeddings'],
  ['/v1/', '/v1/embeddings'],
  ['/openai/v1/embeddings', '/openai/v1/embeddings'],
  ['/', '/v1/embeddings'],
])('resolves the URL %s to %s', async (path, expected) => {
  const { url, asked } = await endpoint()
  await openEndpoint(`${url}${path}`, quick)
  expect(asked[0]!.path).toBe(expected)
})

test('repeats the request if the endpoint is busy, but not if the request is wrong', async () => {
  const { url, asked } = await endpoint((_, count, response) => {
    if (count < 4) response.writeHead(count === 1 ? 429 : 503).end('busy')
  })
  await openEndpoint(url, quick)
  expect(asked).toHaveLength(4)
  const busy = await endpoint((_, __, response) => void response.writeHead(503).end('busy'))
  await expect(openEndpoint(busy.url, quick)).rejects.toThrow(/answered 503: busy \(5 attempts\)$/)
  expect(busy.asked).toHaveLength(5)
  const wrong = await endpoint((_, __, response) => void response.writeHead(404).end('no model m'))
  await expect(openEndpoint(wrong.url, quick)).rejects.toThrow(/answered 404: no model m$/)
  expect(wrong.asked).toHaveLength(1)
})

test('follows no redirect and sends the key to no other host', async () => {
  vi.stubEnv(endpointKey, 'secret')
  const other = await endpoint()
  const { url } = await endpoint((_, __, response) => {
    response.writeHead(307, { location: `${other.url}/v1/embeddings` }).end()
  })
  await expect(openEndpoint(url, quick)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  expect(other.asked).toEqual([])
})

test('throws if the endpoint does not answer, is gone, or sends an endless answer', async () => {
  const silent = await endpoint(() => new Promise(() => {}))
  const late = openEndpoint(silent.url, { ...quick, timeout: 20 })
  await expect(late).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('20 ms'),
  })
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  await new Promise((resolve) => gone.close(resolve))
  const absent = openEndpoint(`http://127.0.0.1:${port}`, quick)
  await expect(absent).rejects.toThrow('ECONNREFUSED')
  const endless = await endpoint(async (_, __, response) => {
    response.writeHead(200)
    const part = Buffer.alloc(2 ** 20, 32)
    while (!response.destroyed) {
      if (!response.write(part)) {
        await new Promise((resolve) => {
          response.once('drain', resolve).once('close', resolve)
        })
      }
    }
  })
  await expect(openEndpoint(endless.url, quick)).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('67108864'),
  })
  const stop = new AbortController()
  const waiting = openEndpoint(silent.url, quick, stop.signal)
  setTimeout(() => stop.abort(), 20)
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
})

test.each([
  [{ data: [] }, 'expected 1 embeddings, got 0 embeddings'],
  [{ error: 'x' }, 'expected 1 embeddings, got no "data"'],
  ['a page', 'expected JSON in the format'],
  [{ data: [null] }, 'expected JSON in the format'],
  [{ data: [{ embedding: [] }] }, 'numbers per embedding, got 0'],
  [{ data: [{ embedding: 'AAAA' }] }, 'numbers per embedding, got 0'],
  [{ data: [{ embedding: [1, 'x'] }] }, 'not a finite number'],
  [{ data: [{ embedding: [1, 1e39] }] }, 'not a finite number'],
  [{ data: [{ index: 5, embedding: [1] }] }, 'the index 5'],
])('refuses the response %j', async (given, message) => {
  const { url } = await endpoint((_, __, response) => {
    if (typeof given !== 'string') return given
    response.end(given)
  })
  await expect(openEndpoint(url, quick)).rejects.toThrow(message)
})

test('throws if the number of dimensions changes', async () => {
  const { url } = await endpoint((_, count) => {
    return count === 1 ? undefined : { data: [{ embedding: [1, 2, 3] }] }
  })
  const opened = await openEndpoint(url, quick)
  await expect(opened.encode(['a'])).rejects.toThrow('expected 2 numbers per embedding, got 3')
})

test.each([
  ['ftp://host', {}, 'must be http://… or https://…'],
  ['host:80', {}, 'must be http'],
  ['http://user:pass@host', {}, 'KITH_EMBED_KEY'],
  ['http://host?key=1', {}, 'KITH_EMBED_KEY'],
  ['http://host', { model: undefined }, 'embedUrl needs a model'],
  ['http://host', { threads: 2 }, 'threads is a setting of the built-in encoder'],
])('refuses %s with %j', async (address, more, message) => {
  await expect(openEndpoint(address, { ...quick, ...more })).rejects.toMatchObject({
    code: 'BAD_SETTING',
    message: expect.stringContaining(message),
  })
})
