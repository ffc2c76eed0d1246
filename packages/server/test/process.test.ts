import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { rerank, termStatistics } from '@kith/core'
import { writeEmbeddings, writeTermStatistics } from '@kith/ir'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { writeSmallModel } from '../../../test/faults/small-model.mjs'
import { temporaryFolder } from '../../../test/files.ts'
import { childrenOf, minilm, post, program, startProcess, Wire } from './support.ts'

const folder = temporaryFolder()
const texts = [
  'Bees find flowers by their color and their scent.',
  'Concrete is made of cement, sand and water.',
  'The stock market fell sharply on Monday.',
]

beforeAll(async () => {
  const model = await minilm()
  const rows = (await model.embed(texts, 'document')).map(({ vector }) => vector)
  model.close()
  const ids = texts.map((_, i) => `d${i}`)
  await writeEmbeddings(join(folder, 'docs.npy'), { dimensions: 384, ids, type: 'f16' }, rows)
  const lines = texts.map((text, i) => JSON.stringify({ _id: `d${i}`, text }))
  writeFileSync(join(folder, 'corpus.jsonl'), lines.join('\n'))
  writeTuned('useless.json', { verdict: 'keep-run', reason: 'no gain' })
  writeTuned('fusion.json', { settings: { method: 'neighbor-rrf' } })
  writeTuned('tuned.json', { settings: { lambda: 1, mix: 'raw' } })
})

interface Answer {
  results: { index: number; relevance_score: number }[]
}

/** What `kith tune` could have found. */
function writeTuned(name: string, found: object): void {
  const heldOut = { gain: 0.1, t: 3, p: 0.01, ci: [0.05, 0.15] }
  const tuned = { kith: 'tuned', version: 1, verdict: 'tuned', measure: 'nDCG@10', heldOut }
  writeFileSync(join(folder, name), JSON.stringify({ settings: {}, ...tuned, ...found }))
}

test('serves texts and a store with a key, and finishes its requests on SIGTERM', async () => {
  const files = ['--store', join(folder, 'docs.npy'), '--corpus', join(folder, 'corpus.jsonl')]
  const server = await startProcess([...files, '--threads', '1', '--quiet'], {
    KITH_API_KEY: 'secret',
  })
  const key = { authorization: 'Bearer secret' }
  expect((await post(server, '/v1/search', { query: 'bees' })).status).toBe(401)
  const search = { query: 'how do bees find flowers', top_n: 1, return_documents: true }
  const found = await post(server, '/v1/search', search, key)
  expect(await found.json()).toMatchObject({
    model: 'minilm',
    results: [{ id: 'd0', document: { text: texts[0] } }],
  })
  const many = Array.from({ length: 60 }, (_, i) => `${i} ${texts.join(' ').repeat(3)}`)
  const asked = post(server, '/v2/rerank', { query: 'bees', documents: many }, key)
  const figure = async (): Promise<number> => {
    const figures = await fetch(`${server.url}/metrics`, { headers: key })
    return Number(/kith_encoder_queue_texts (\d+)/.exec(await figures.text())![1])
  }
  while ((await figure()) === 0) await setTimeout(5)
  // The whole group hears it, its encoders too.
  process.kill(-server.child.pid!, 'SIGTERM')
  while (
    await post(server, '/v2/rerank', {}, key).then(
      () => true,
      () => false,
    )
  )
    await setTimeout(5)
  const response = await asked
  expect(response.status).toBe(200)
  expect(((await response.json()) as { results: [] }).results).toHaveLength(60)
  expect(await server.ended).toEqual([0, null])
})

test('ranks with the statistics of kith term-statistics', async () => {
  const statistics = termStatistics([...texts, 'bees', 'more bees', 'bees again'])
  await writeTermStatistics(join(folder, 'terms.bin'), statistics)
  const vectors = [
    [1, 0.2],
    [0.9, 0.5],
    [0.1, 1],
  ]
  const query = { text: 'bees and concrete', embedding: [1, 0.1] }
  const documents = texts.map((text, i) => ({ text, embedding: vectors[i] }))
  const scores = async (option: string[]): Promise<Map<number, number>> => {
    const server = await startProcess(['--model', 'none', ...option])
    const response = await post(server, '/v1/rerank', { query, documents })
    const { results } = (await response.json()) as Answer
    return new Map(results.map(({ index, relevance_score }) => [index, relevance_score]))
  }
  const found = await scores(['--term-statistics', join(folder, 'terms.bin')])
  const asked = { text: query.text, vector: query.embedding }
  const ranked = rerank(asked, { vectors, texts }, { statistics })
  for (const [place, index] of ranked.order.entries()) {
    const score = ranked.scores[place]!
    expect(found.get(index)).toBeCloseTo(0.5 + (0.5 * score) / (1 + Math.abs(score)), 5)
  }
  expect(await scores(['--term-statistics', 'none'])).not.toEqual(found)
})

test('serves with the settings of kith tune', async () => {
  const server = await startProcess(['--model', 'none', '--settings', join(folder, 'tuned.json')])
  const embeddings = [
    [0.6, 0.8],
    [1, 0],
    [0, 1],
  ]
  const body = {
    query: { embedding: [1, 0] },
    documents: embeddings.map((embedding) => ({ embedding })),
  }
  const response = await post(server, '/v2/rerank', body)
  const { results } = (await response.json()) as { results: { relevance_score: number }[] }
  // With lambda 1 and raw scores, they are those of the inner products s: (1 + s / (1 + s)) / 2.
  const scores = results.map(({ relevance_score }) => relevance_score)
  expect(scores).toEqual([0.75, expect.closeTo(0.6875, 6), 0.5])
  server.child.kill('SIGTERM')
  expect(await server.ended).toEqual([0, null])
})

test('serves embeddings without a model, and exits at once on a second signal', async () => {
  const server = await startProcess(['--model', 'none', '--quiet', '--max-documents', '2'])
  const document = { embedding: [1, 0] }
  const status = async (count: number): Promise<number> => {
    const body = { query: document, documents: Array(count).fill(document) }
    return (await post(server, '/v2/rerank', body)).status
  }
  expect([await status(2), await status(3)]).toEqual([200, 413])
  // A request that never ends keeps the server from ending, until it is told twice.
  const unfinished = fetch(`${server.url}/v2/rerank`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) }),
    duplex: 'half',
  } as RequestInit).catch(() => undefined)
  const figures = async () => (await fetch(`${server.url}/metrics`)).text()
  while (!/kith_requests_in_progress 2\n/.test(await figures())) await setTimeout(5)
  server.child.kill('SIGINT')
  while (
    await fetch(`${server.url}/healthz`).then(
      () => true,
      () => false,
    )
  )
    await setTimeout(5)
  // One that comes right behind the first is taken for the same: npx passes on what it hears.
  let ended: unknown
  void server.ended.then((how) => {
    ended = how
  })
  while (ended === undefined) {
    server.child.kill('SIGINT')
    await setTimeout(50)
  }
  expect(ended).toEqual([130, null])
  await unfinished
})

test.runIf(process.platform === 'linux')(
  'exits with the shell by which npx started it',
  async () => {
    // What npx does, and the two names by which its programs know it.
    const line = `"${process.execPath}" "${program}" serve --port 0 --json --model none; true`
    const names = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'kith'" }
    const env = { ...process.env, ...names }
    const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'], env })
    const [printed] = (await once(createInterface({ input: shell.stdout }), 'line')) as [string]
    const [server] = childrenOf(shell.pid!, 'kith.js')
    onTestFinished(() => {
      if (running(server!)) process.kill(server!, 'SIGKILL')
    })
    const { url } = JSON.parse(printed) as { url: string }
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    shell.kill('SIGTERM')
    while (running(server!)) await setTimeout(20)
  },
)

/** Whether there is a process. */
function running(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.each<[string[], number, RegExp]>([
  [['--host', '0.0.0.0'], 2, /set --api-key, or disable authentication with --no-auth/],
  [['--port', '70000'], 2, /--port must be a whole number from 0 to 65535/],
  [['--corpus', 'x'], 2, /--corpus works only with --store/],
  [['--store', join(folder, 'nowhere.npy')], 1, /nowhere.npy: there is no such file/],
  [['--queue', '5', '--model', 'none'], 2, /raise --queue or lower --max-documents/],
  [['--set', 'lambda=7', '--model', 'none'], 2, /lambda/],
  [
    ['--term-statistics', join(folder, 'docs.npy'), '--model', 'none'],
    1,
    /docs.npy.* not the bytes of term/,
  ],
  [['--settings', join(folder, 'useless.json')], 2, /no gain; add --force to serve them anyway/],
  [
    ['--settings', join(folder, 'fusion.json')],
    2,
    /supports only the method 'neighbors', got 'neighbor-rrf'/,
  ],
])('refuses %j', (args, code, message) => {
  const environment = { ...process.env, KITH_API_KEY: '' }
  const result = spawnSync(process.execPath, [program, 'serve', ...args], {
    encoding: 'utf8',
    env: environment,
  })
  expect(result.stderr).toMatch(message)
  expect(result.status).toBe(code)
})

test('never returns the path of the model', async () => {
  const model = writeSmallModel(join(folder, 'models', 'small'))
  const server = await startProcess(['--model', model, '--threads', '1'])
  const health = new Wire(server).send(
    ...['GET /healthz HTTP/1.1', 'Host: evil.example', 'Connection: close', '', ''],
  )
  expect(await health.answer).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n\{"status":"ok"\}$/s)
  const get = async (path: string) => (await fetch(`${server.url}${path}`)).text()
  const answers = [
    await get('/info'),
    await get('/v1/models'),
    await (await post(server, '/v1/embeddings', { input: 'dense retrieval' })).text(),
  ]
  for (const answer of answers) {
    expect(answer).toContain('"small"')
    expect(answer).not.toContain(folder)
  }
})
