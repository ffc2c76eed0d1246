import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../src/server.ts'
import { childrenOf, minilm, post, serve, sharedMinilm, Wire, wordsModel } from './support.ts'

const document = { embedding: [1, 0] }
const small = { query: document, documents: [document] }

describe('authentication', () => {
  test('listens on other addresses only with a key or with --no-auth', async () => {
    const refused = startServer({ port: 0, host: '0.0.0.0' })
    await expect(refused).rejects.toThrow('set --api-key, or disable authentication with --no-auth')
    await expect(startServer({ port: 0, keys: [''] })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    })
    const open = await serve({ host: '0.0.0.0', open: true })
    const reached = { url: open.url.replace('0.0.0.0', '127.0.0.1') }
    expect((await post(reached, '/v2/rerank', small)).status).toBe(200)
  })

  test('requires the key in the header of every request except for health', async () => {
    const server = await serve({ keys: ['one', 'two'] })
    const status = async (path: string, authorization?: string): Promise<number> => {
      const headers: Record<string, string> = authorization ? { authorization } : {}
      return (await fetch(`${server.url}${path}`, { headers })).status
    }
    expect(await status('/healthz')).toBe(200)
    for (const path of ['/metrics', '/openapi.json', '/info', '/v1/models', '/nowhere']) {
      expect(await status(path)).toBe(401)
      expect(await status(path, 'Bearer three')).toBe(401)
      expect(await status(path, 'Bearer ')).toBe(401)
      expect(await status(path, 'one')).toBe(401)
      expect(await status(path, 'Bearer two')).toBe(path === '/nowhere' ? 404 : 200)
    }
    const inOwnHeader = async (key: string): Promise<number> =>
      (await fetch(`${server.url}/info`, { headers: { 'api-key': key } })).status
    expect([await inOwnHeader('two'), await inOwnHeader('three')]).toEqual([200, 401])
    const response = await post(server, '/v1/embeddings', { input: 'a' })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key' } })
  })

  test('refuses requests of web pages with other host names, and bodies without the JSON type', async () => {
    const server = await serve()
    const named = (host: string): Promise<string> =>
      new Wire(server).send('GET /metrics HTTP/1.1', `Host: ${host}`, 'Connection: close', '', '')
        .answer
    expect(await named('evil.example:80')).toMatch(/^HTTP\/1.1 403 /)
    expect(await named('localhost:1234')).toMatch(/^HTTP\/1.1 200 /)
    expect(await named('[::1]')).toMatch(/^HTTP\/1.1 200 /)
    const plain = { 'content-type': 'text/plain' }
    expect((await post(server, '/v2/rerank', small, plain)).status).toBe(415)
    const packed = { 'content-encoding': 'gzip' }
    expect((await post(server, '/v2/rerank', small, packed)).status).toBe(415)
    const typed = { 'content-type': 'application/json; charset=utf-8' }
    expect((await post(server, '/v2/rerank', small, typed)).status).toBe(200)
  })
})

describe('limits of a request', () => {
  test('answers 413 in the format of each API for too many documents, characters or bytes', async () => {
    const limits = { documents: 3, characters: 10, body: 2000 }
    const server = await serve({ limits, strict: true })
    const cases: [string, object, object][] = [
      [
        '/v2/rerank',
        { query: 'a', documents: Array(4).fill('a') },
        { message: /documents .*\b4\b.*\b3\b/ },
      ],
      [
        '/v1/rerank',
        { query: 'a', documents: ['x'.repeat(11)] },
        { detail: /documents\[0\] .*\b11\b.*\b10\b/ },
      ],
      ['/v2/rerank', { query: 'x'.repeat(3000) }, { message: /2000 bytes/ }],
      [
        '/rerank',
        { query: 'a', texts: Array(4).fill('a') },
        { error: /texts has 4/, error_type: /^Validation$/ },
      ],
      ['/v1/embeddings', { input: Array(4).fill('a') }, { error: { message: /input has 4/ } }],
      ['/embed', { inputs: Array(4).fill('a') }, { error: /inputs has 4/ }],
      ['/rerank', { query: 'a', documents: Array(4).fill('a') }, { error: /documents has 4/ }],
    ]
    for (const [path, body, shape] of cases) {
      const response = await post(server, path, body)
      expect([path, response.status]).toEqual([path, 413])
      expect(await response.json()).toMatchObject(matching(shape) as object)
    }
  })

  test('limits bodies without a Content-Length', async () => {
    const server = await serve({ limits: { body: 100_000 } })
    const response = await fetch(`${server.url}/v2/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob(['['.repeat(300_000)]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    const nested = '['.repeat(50_000) + ']'.repeat(50_000)
    expect((await post(server, '/v2/rerank', nested)).status).toBe(422)
  })

  describe('texts beyond the limit', async () => {
    const document = `${'word '.repeat(9)}\u{1f41d}`
    const body = { query: 'word', documents: ['short', document, `${document} and more`] }
    const openModel = async () => wordsModel(8)
    /** 46 characters would end within the bee. */
    const limits = { characters: 46 }
    const strict = await serve({ openModel, limits, strict: true })
    const server = await serve({ openModel, limits })

    test('are truncated and counted, and returned whole', async () => {
      const expected = {
        truncated: { characters: 2, tokens: 2 },
        warnings: [
          'texts truncated to 46 characters: 2',
          'texts truncated to 8 tokens by the encoder: 2',
        ],
      }
      for (const path of ['/v1/rerank', '/v2/rerank', '/rerank']) {
        const response = await post(server, path, { ...body, return_documents: true })
        const { meta, results } = (await response.json()) as {
          meta: object
          results: { index: number; document: { text: string } }[]
        }
        expect(meta).toMatchObject(expected)
        for (const { index, document } of results) expect(document.text).toBe(body.documents[index])
      }
      const embedded = await post(server, '/v1/embeddings', { input: body.documents })
      expect(await embedded.json()).toMatchObject({ meta: expected, usage: { total_tokens: 17 } })
      const short = await post(server, '/v1/embeddings', { input: 'word' })
      expect(await short.json()).toMatchObject({
        meta: { truncated: { characters: 0, tokens: 0 } },
      })
      const figures = await (await fetch(`${server.url}/metrics`)).text()
      expect(figures).toMatch(/kith_texts_truncated_total{limit="characters"} 8\n/)
      expect(figures).toMatch(/kith_texts_truncated_total{limit="tokens"} 8\n/)
    })

    test('are never truncated within a character', async () => {
      const seen: string[] = []
      const model = wordsModel()
      const watched = async () => ({
        ...model,
        embed(texts: readonly string[], role: 'query' | 'document') {
          seen.push(...texts)
          return model.embed(texts, role)
        },
      })
      const server = await serve({ openModel: watched, limits })
      await post(server, '/embed', { inputs: [document] })
      expect(seen).toEqual([document.slice(0, 45)])
    })

    test.each<[string, object, RegExp]>([
      ['/v2/rerank', body, /documents\[1\] .*\b47\b.*\b46\b/],
      ['/rerank', { query: 'word', texts: body.documents }, /texts\[1\] .*\b47\b/],
      ['/v1/embeddings', { input: body.documents }, /input\[1\] .*\b47\b/],
      ['/embed', { inputs: document.slice(0, 45) }, /inputs .*8 tokens/],
      ['/v2/rerank', { query: document.slice(0, 45), documents: ['a'] }, /the query .*\b8\b/],
      ['/v2/rerank', { query: 'a', documents: [document.slice(0, 45)] }, /document 0 .*\b8\b/],
    ])(
      'are refused if the server or the request is strict: %s %j',
      async (path, given, message) => {
        const refused = await post(strict, path, given)
        expect([refused.status, await refused.text()]).toEqual([
          413,
          expect.stringMatching(message),
        ])
        // OpenAI's protocol has no word for it.
        const openAi = path === '/v1/embeddings'
        const field = path === '/v2/rerank' ? 'truncation' : 'truncate'
        const status = async (where: RunningServer, cut: boolean): Promise<number> =>
          (await post(where, path, { ...given, [field]: cut })).status
        expect(await status(strict, true)).toBe(openAi ? 413 : 200)
        expect(await status(server, false)).toBe(openAi ? 200 : 413)
      },
    )
  })

  test('startServer refuses invalid limits', async () => {
    const wrong = (limits: object) => startServer({ port: 0, limits })
    await expect(wrong({ body: 0 })).rejects.toMatchObject({ code: 'BAD_SETTING' })
    await expect(wrong({ queue: 10 })).rejects.toMatchObject({ code: 'BAD_SETTING' })
  })
})

describe('the encoder’s queue', () => {
  const openModel = sharedMinilm()
  const text = (i: number): string => `${i} ${'some words that take a while '.repeat(20)}`
  const texts = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => text(from + i))

  test('answers 429 with Retry-After if it is full, and lets no request wait forever', async () => {
    const server = await serve({ openModel, limits: { queue: 30, documents: 20 } })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        post(server, '/v1/embeddings', { input: texts(i * 100, 20) }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    const later = await post(server, '/v1/embeddings', { input: texts(0, 20) })
    expect(later.status).toBe(200)
    const figures = await (await fetch(`${server.url}/metrics`)).text()
    expect(figures).toMatch(/kith_encoder_queue_texts 0/)
    // Batches of one request and of several, none larger than 16 texts.
    expect(figures).toMatch(/batch_texts_bucket{le="16"} (\d+)\n.*{le="\+Inf"} \1\n/)
    expect(figures).toMatch(/kith_requests_total{route="\/v1\/embeddings",status="429"} [1-7]\n/)
    expect(figures).toMatch(/kith_request_seconds_bucket{le="0.001",route="\/v1\/embeddings"} \d+/)
  })

  test('answers 429 to too many concurrent requests, and completes requests in progress', async () => {
    const server = await serve({ openModel, limits: { requests: 2 } })
    const under = [0, 1].map((i) =>
      post(server, '/rerank', { query: 'a', texts: texts(i * 50, 20) }),
    )
    // Those of the second request wait for those of the first.
    while ((await queued(server)) < 10) await setTimeout(5)
    const refused = await post(server, '/rerank', { query: 'a', texts: ['b'] })
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error_type: 'Overloaded' })
    for (const response of await Promise.all(under)) expect(response.status).toBe(200)
  })

  test('answers 503 to a request that takes too long, and stops its work', async () => {
    const server = await serve({ openModel, limits: { seconds: 0.1 } })
    const response = await post(server, '/v2/rerank', { query: 'a', documents: texts(0, 300) })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ message: expect.stringMatching(/took too long/) })
    expect(await queued(server)).toBe(0)
  })

  test('drops the texts of a client that disconnects', async () => {
    const server = await serve({ openModel })
    const gone = new AbortController()
    const asked = fetch(`${server.url}/v2/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'a', documents: texts(0, 300) }),
      signal: gone.signal,
    })
    while ((await queued(server)) < 100) await setTimeout(5)
    gone.abort()
    await expect(asked).rejects.toThrow()
    while ((await queued(server)) > 0) await setTimeout(5)
    const figures = await (await fetch(`${server.url}/metrics`)).text()
    expect(figures).toMatch(/kith_requests_total{route="\/v2\/rerank",status="499"} 1/)
  })

  test.runIf(process.platform === 'linux')('loads an encoder again that was killed', async () => {
    const before = new Set(encoders())
    const failures: unknown[] = []
    const server = await serve({ openModel: minilm, onError: (error) => failures.push(error) })
    const asked = post(server, '/rerank', { query: 'a', texts: texts(0, 30) })
    await setTimeout(30)
    for (const pid of encoders()) if (!before.has(pid)) process.kill(pid, 'SIGKILL')
    const response = await asked
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({
      error: 'the encoder stopped and is starting again; retry later',
      error_type: 'Overloaded',
    })
    expect(String(failures[0])).toMatch(/an encoder process ended/)
    expect((await post(server, '/rerank', { query: 'a', texts: texts(0, 3) })).status).toBe(200)
  })
})

describe('routes', async () => {
  const server = await serve()
  test('answers 404 for unknown paths and 405 for wrong methods', async () => {
    expect((await post(server, '/v3/rerank', small)).status).toBe(404)
    const wrong = await fetch(`${server.url}/v2/rerank`)
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('POST')
    expect((await post(server, '/v1/search', { query: document })).status).toBe(422)
    const broken = await post(server, '/rerank', '{"query":')
    expect(broken.status).toBe(400)
    expect(await broken.json()).toEqual({ error: 'the body is not JSON', error_type: 'Validation' })
  })

  test('refuse a body that is not UTF-8, in a text and outside of one', async () => {
    const embedding = JSON.stringify(Array.from({ length: 8 }, () => 1))
    const whole = `{"query":{"text":"caf\u00e9","embedding":${embedding}},"documents":[{"text":"a","embedding":${embedding}}]}`
    const send = async (body: Buffer) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${server.url}/v2/rerank`, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
      })
      return { status: response.status, answer: await response.json() }
    }
    expect(await send(Buffer.from(whole))).toMatchObject({ status: 200 })
    const refused = {
      status: 400,
      answer: { message: 'the body is not UTF-8; send JSON in UTF-8' },
    }
    expect(await send(Buffer.from(whole, 'latin1'))).toMatchObject(refused)
    const surrogate = Buffer.concat([Buffer.from('{"query":"'), Buffer.of(0xed, 0xa0, 0x80)])
    expect(await send(surrogate)).toMatchObject(refused)
    expect(await send(Buffer.from(whole, 'utf16le'))).toMatchObject({ status: 400 })
  })

  test('serve health and a description of all routes', async () => {
    const health = await fetch(`${server.url}/healthz`)
    expect(await health.json()).toEqual({ status: 'ok' })
    const description = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      openapi: string
      paths: Record<string, { post?: { requestBody: { content: object } } }>
    }
    expect(description.openapi).toBe('3.1.0')
    expect(Object.keys(description.paths)).toEqual([
      '/v1/rerank',
      '/v2/rerank',
      '/rerank',
      '/embed',
      '/v1/embeddings',
      '/v1/search',
      '/info',
      '/v1/models',
      '/healthz',
      '/metrics',
    ])
    const { content } = description.paths['/v2/rerank']!.post!.requestBody
    expect(content).toMatchObject({
      'application/json': {
        schema: {
          required: ['query', 'documents'],
          properties: { top_n: {}, query: { anyOf: [{ type: 'string' }, {}] } },
        },
      },
    })
  })
})

/** Texts that wait for the encoder of a server. */
async function queued({ url }: { url: string }): Promise<number> {
  const figures = await (await fetch(`${url}/metrics`)).text()
  return Number(/kith_encoder_queue_texts (\d+)/.exec(figures)![1])
}

/** The encoder processes that this one has started. */
function encoders(): number[] {
  return childrenOf(process.pid, 'session-process')
}

/** Regular expressions in a shape become expectations. */
function matching(shape: unknown): unknown {
  if (shape instanceof RegExp) return expect.stringMatching(shape)
  return Object.fromEntries(
    Object.entries(shape as object).map(([name, value]) => [name, matching(value)]),
  )
}
