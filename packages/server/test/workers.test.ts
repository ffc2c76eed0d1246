import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { KithError, termStatistics } from '@kith/core'
import { openStore } from '@kith/stores'
import type { SearchStore } from '@kith/stores/internal'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type RunningServer, startServer } from '../src/server.ts'
import type { TextModel } from '../src/text-model.ts'
import { base64, childrenOf, post, serve, startProcess, vectors, Wire } from './support.ts'

const WORKER = 'worker-process'
const rows = vectors(41, 8, 3)
const texts = rows.map((_, i) => `document ${i} about ${i % 3 ? 'wasps' : 'bees and honey'}`)

/** Texts of the tests get their row; `released` lets texts with "slow" go on, "broken" ends the model. */
function model(released: Promise<void> = Promise.resolve()): TextModel {
  return {
    name: 'rows',
    dimensions: 8,
    maxTokens: 60,
    async embed(given) {
      if (given.some((text) => text.includes('slow'))) await released
      if (given.some((text) => text.includes('broken'))) {
        throw new KithError('OUT_OF_MEMORY', 'an encoder process ended')
      }
      return given.map((text) => ({
        vector: rows[text.length % rows.length]!,
        tokens: text.length,
        cut: text.includes('cut'),
      }))
    },
    async close() {},
  }
}

function store(): SearchStore {
  const ids = rows.map((_, i) => `d${i}`)
  return {
    dimensions: 8,
    async search(queries, { top, vectors: wanted }) {
      return Array.from({ length: queries.rows }, () => ({
        ids: ids.slice(0, top),
        scores: Float32Array.from(ids.slice(0, top), (_, i) => 1 / (i + 1)),
        vectors: wanted
          ? Float32Array.from(rows.slice(0, top).flatMap((row) => [...row]))
          : new Float32Array(),
      }))
    },
    async fetch(wanted) {
      return wanted.map((id) => {
        const i = ids.indexOf(id)
        return { vector: rows[i]!, text: texts[i] }
      })
    },
    async close() {},
  }
}

async function figure(server: { url: string }, name: string): Promise<number> {
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  return Number(
    figures
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  )
}

const until = async (done: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await done())) await setTimeout(5)
}

test.each([1, 2])('ranks with the tokenizer of a language, %d workers', async (workers) => {
  const server = await serve({ workers, settings: { tokenizer: 'german' } })
  onTestFinished(() => server.close())
  const response = await post(server, '/v1/rerank', {
    query: { text: 'Häuser', embedding: [1, 0] },
    documents: [
      { text: 'Die Straße ist lang', embedding: [0.6, 0.8] },
      { text: 'Das Haus ist alt', embedding: [0.6, 0.8] },
    ],
  })
  expect(response.status).toBe(200)
  const { results } = (await response.json()) as { results: { index: number }[] }
  expect(results.map(({ index }) => index)).toEqual([1, 0])
})

test('kith serve --store ranks with the German store’s stems, with one worker and with two', async () => {
  const address = join(temporaryFolder(), 'german')
  const store = await openStore(address, { create: true, tokenizer: 'german' })
  const german = rows.map((_, i) => `Die Straße Nummer ${i} ist ${i % 3 ? 'lang' : 'neu'}.`)
  german[17] = 'Das Haus am See ist alt.'
  await store.add(rows.map((vector, i) => ({ id: `d${i}`, vector, text: german[i]! })))
  await store.close()
  const query = { text: 'Häuser', embedding: base64(rows[2]!) }
  const documents = german.map((text, i) => ({ text, embedding: base64(rows[i]!) }))
  const answers: unknown[][] = []
  for (const workers of ['1', '2']) {
    const given = ['--store', address, '--model', 'none', '--workers', workers]
    const server = await startProcess(given)
    const own: unknown[] = []
    // Connections go to the workers in turn.
    for (let i = 0; i < 4; i++) {
      const search = { query, top_n: 20, return_documents: true }
      own.push(await answerOf(server, '/v1/search', search, { connection: 'close' }))
      const rerank = { query, documents }
      own.push(await answerOf(server, '/v2/rerank', rerank, { connection: 'close' }))
    }
    answers.push(own)
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual([0, null])
  }
  expect(answers[1]).toEqual(answers[0])
  const [, status, , text] = answers[0]![0] as [string, number, unknown, string]
  expect(status).toBe(200)
  expect(JSON.parse(text).results[0]).toMatchObject({ id: 'd17' })
  const [, , , reranked] = answers[0]![1] as [string, number, unknown, string]
  expect(JSON.parse(reranked).results[0]).toMatchObject({ index: 17 })
})

describe('two workers with one encoder and one store', () => {
  test('answer as one process does, errors included', async () => {
    const settings = { statistics: termStatistics(texts) }
    const options = { openModel: async () => model(), limits: { documents: 60 }, settings }
    const failures: string[][] = [[], []]
    const [one, two] = await Promise.all(
      [1, 2].map((workers, i) =>
        serve({
          ...{ ...options, workers, store: store() },
          onError: (error) => failures[i]!.push(String(error)),
        }),
      ),
    )
    const query = { text: 'bees', embedding: base64(rows[0]!) }
    const bodies: [string, unknown][] = [
      [
        '/v2/rerank',
        { query, documents: texts.map((text, i) => ({ text, embedding: [...rows[i]!] })) },
      ],
      ['/v1/rerank', { query: 'honey', documents: texts, return_documents: true }],
      ['/rerank', { query: 'honey', texts, raw_scores: true }],
      ['/rerank', { query: 'honey', documents: ['bees', 'cut'], top_k: 1 }],
      ['/embed', { inputs: texts.slice(0, 20) }],
      ['/embed', { inputs: ['one', 'cut'], truncate: false }],
      ['/v1/embeddings', { input: texts.slice(0, 20), encoding_format: 'base64' }],
      ['/v1/search', { query: 'bees', top_n: 5, return_documents: true }],
      ['/v1/search', { query: { embedding: base64(rows[1]!) } }],
      ['/v1/search', { query: { embedding: [1, 2] } }],
      ['/rerank', { query: 'a', texts: ['broken'] }],
      ['/v1/embeddings', { input: Array(61).fill('a') }],
      ['/v2/rerank', '{"query":'],
    ]
    for (const [path, body] of bodies) {
      const [expected, found] = await Promise.all([
        answerOf(one!, path, body),
        answerOf(two!, path, body),
      ])
      expect(found).toEqual(expected)
    }
    // The reason is for the log alone, and gets there from every process.
    expect(failures[0]).toEqual(['KithError: an encoder process ended'])
    expect(failures[1]).toEqual(failures[0])
    // One cache for all: these texts were embedded by whoever was asked first.
    const hits = await figure(two!, 'kith_embedding_cache_lookups_total{result="hit"}')
    expect(hits).toBe(await figure(one!, 'kith_embedding_cache_lookups_total{result="hit"}'))
    expect(hits).toBeGreaterThan(texts.length)
  })

  test('drop the texts of a client that disconnects from the queue of the first process', async () => {
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const server = await serve({ workers: 2, openModel: async () => model(released) })
    const gone = new AbortController()
    const asked = fetch(`${server.url}/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'a',
        texts: Array.from({ length: 50 }, (_, i) => `slow ${i}`),
      }),
      signal: gone.signal,
    })
    await until(async () => (await figure(server, 'kith_encoder_queue_texts')) > 0)
    gone.abort()
    await expect(asked).rejects.toThrow()
    await until(async () => (await figure(server, 'kith_encoder_queue_texts')) === 0)
    release()
  })

  test('are refused on a port in use, and in an invalid number', async () => {
    const server = await serve()
    const port = Number(new URL(server.url).port)
    await expect(startServer({ port, workers: 2 })).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await expect(startServer({ port: 0, workers: 1.5 })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    })
  })
})

test.runIf(process.platform === 'linux')(
  'are replaced when killed in kith serve --workers, which finishes its requests at the end',
  async () => {
    const server = await startProcess(['--workers', '2', '--model', 'none'])
    const workers = () => childrenOf(server.child.pid!, WORKER)
    const before = workers()
    expect(before).toHaveLength(2)
    const body = JSON.stringify({
      query: { embedding: [1, 0] },
      documents: [{ embedding: [1, 1] }],
    })
    const close = { connection: 'close' }
    const ask = async () => (await post(server, '/v2/rerank', body, close)).status
    expect(await Promise.all(Array.from({ length: 6 }, ask))).toEqual(Array(6).fill(200))
    const total = 'kith_requests_total{route="/v2/rerank",status="200"}'
    expect(await figure(server, total)).toBe(6)

    // Two requests whose bodies are not yet there: connections go to the workers in turn.
    const under = [begin(server, body), begin(server, body)]
    await until(async () => (await figure(server, 'kith_requests_in_progress')) === 3)
    process.kill(before[0]!, 'SIGKILL')
    const cut = await Promise.race(under.map(({ wire }, i) => wire.answer.then(() => i)))
    const other = under[1 - cut]!
    expect(await under[cut]!.wire.answer).toBe('')
    other.finish()
    expect(await other.wire.answer).toMatch(/^HTTP\/1.1 200 /)
    await until(() => workers().length === 2)
    expect(workers()).toContain(before[1])
    expect(server.printed.errors).toMatch(
      /a server worker ended by SIGKILL; a new worker replaces it/,
    )
    // What the dead one had counted stays.
    await until(async () => (await figure(server, total)) === 7)
    expect(await Promise.all(Array.from({ length: 4 }, ask))).toEqual(Array(4).fill(200))
    expect(await figure(server, total)).toBe(11)

    const last = [begin(server, body), begin(server, body)]
    await until(async () => (await figure(server, 'kith_requests_in_progress')) === 3)
    // The whole group hears it, as with Ctrl-C.
    process.kill(-server.child.pid!, 'SIGINT')
    await until(() =>
      fetch(`${server.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    for (const { finish } of last) finish()
    for (const { wire } of last) expect(await wire.answer).toMatch(/^HTTP\/1.1 200 /)
    expect(await server.ended).toEqual([0, null])
    expect(workers()).toEqual([])
    expect(server.printed.out.trim().split('\n')).toHaveLength(1)
  },
)

describe.runIf(process.platform === 'linux')('kith serve --workers with a frozen worker', () => {
  const total = 'kith_requests_total{route="/v2/rerank",status="200"}'
  /** A server that has answered four requests, one of whose two workers is stopped then. */
  async function startFrozen() {
    const server = await startProcess(['--workers', '2', '--model', 'none'])
    const workers = () => childrenOf(server.child.pid!, WORKER)
    const [frozen] = workers()
    const body = { query: { embedding: [1, 0] }, documents: [{ embedding: [1, 1] }] }
    for (let i = 0; i < 4; i++) await post(server, '/v2/rerank', body, { connection: 'close' })
    expect(await figure(server, total)).toBe(4)
    expect(await figure(server, 'kith_workers_silent')).toBe(0)
    process.kill(frozen!, 'SIGSTOP')
    onTestFinished(() => {
      // Frozen, it would outlive the server.
      if (workers().includes(frozen!)) process.kill(frozen!, 'SIGCONT')
    })
    return { server, workers, frozen: frozen! }
  }

  test('answers connections one after the other, and replaces the worker', async () => {
    const { server, workers, frozen } = await startFrozen()
    for (let i = 0; i < 4; i++) expect(await metricsOf(server)).toContain(`\n${total} 4\n`)
    await until(() => workers().length === 2 && !workers().includes(frozen))
    expect(server.printed.errors).toContain('a server worker was silent for 10 s')
    await until(async () => (await figure(server, 'kith_workers_silent')) === 0)
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual([0, null])
  })

  test('reports partial metrics, and passes on the connection of the worker', async () => {
    const { server } = await startFrozen()
    // The workers get connections in turn: the frozen one gets one of these.
    const answers = await Promise.all([metricsOf(server), metricsOf(server)])
    for (const answer of answers) expect(answer).toContain(`\n${total} 4\n`)
    const partial = answers.filter((answer) => answer.includes('\nkith_workers_silent 1\n'))
    expect(partial).toEqual([
      expect.stringContaining('# PARTIAL: 1 of 2 workers did not answer within 2 s;'),
    ])
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual([0, null])
  })
})

/** The metrics over a new connection. */
function metricsOf(server: { url: string }): Promise<string> {
  const request = ['GET /metrics HTTP/1.1', 'Host: localhost', 'Connection: close', '', '']
  return new Wire(server).send(...request).answer
}

/** Begins a request; `finish` sends its body. */
function begin(server: { url: string }, body: string): { wire: Wire; finish(): void } {
  const head = ['POST /v2/rerank HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
  const wire = new Wire(server).send(
    ...head,
    'Connection: close',
    `Content-Length: ${body.length}`,
    '',
    '',
  )
  return { wire, finish: () => void wire.send(body) }
}

/** An answer without what differs from one to the next. */
async function answerOf(
  server: Pick<RunningServer, 'url'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await post(server, path, body, headers)
  const text = (await response.text()).replace(/"id":"[0-9a-f-]{36}"/, '"id":""')
  return [path, response.status, response.headers.get('retry-after'), text]
}
