import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openEmbeddings } from '@kith/ir'
import { openCollection } from '@kith/pipelines/collection'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, program, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const texts = ['Bees find flowers by their scent.', 'Ships sail in the harbor.', 'Cement and sand.']
const stop: (() => void)[] = []
let url: string

/** Starts `kith serve`; its address. */
async function serve(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stop.push(() => child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return (JSON.parse(line) as { url: string }).url
}

beforeAll(async () => {
  mkdirSync(path('notes'))
  const lines = texts.map((text, i) => JSON.stringify({ _id: `d${i}`, text }))
  writeFileSync(path('corpus.jsonl'), lines.join('\n'))
  texts.forEach((text, i) => {
    writeFileSync(path(`notes/${i}.md`), text)
  })
  url = await serve('--threads', '1')
})
afterAll(() => {
  for (const end of stop) end()
})

test('encode writes the embeddings that the endpoint returns', async () => {
  const input = ['--input', path('corpus.jsonl')]
  const remote = ['--embed-url', url, '--model', 'kith']
  succeed('encode', ...input, ...remote, '--out', path('remote.npy'))
  succeed('encode', ...input, '--threads', '1', '--out', path('own.npy'))
  const [a, b] = [await openEmbeddings(path('remote.npy')), await openEmbeddings(path('own.npy'))]
  expect(a.read(0, 3)).toEqual(b.read(0, 3))
  await a.close()
  await b.close()
  const { settings } = JSON.parse(readFileSync(path('remote.npy.meta.json'), 'utf8'))
  expect(settings).toMatchObject({ model: 'kith', embedUrl: url, dimensions: 384 })
  for (const [wrong, message] of [
    [['--embed-url', url], '--embed-url needs --model'],
    [[...remote, '--threads', '2'], 'threads is a setting of the built-in encoder'],
    [['--embed-url', 'nowhere', '--model', 'm'], 'must be http'],
  ] as const) {
    const { code, err } = kith('encode', ...input, ...wrong, '--out', path('none.npy'))
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  }
})

test('serve embeds and reranks with the model of an endpoint', async () => {
  const second = await serve('--embed-url', url, '--model', 'kith')
  const post = async (address: string, at: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${address}${at}`, request)
    expect(response.status).toBe(200)
    return response.json()
  }
  const data = async (address: string) =>
    (await post(address, '/v1/embeddings', { input: texts })).data
  expect(await data(second)).toEqual(await data(url))
  const body = { query: 'how do bees find flowers', documents: texts }
  const { results, usage } = await post(second, '/v2/rerank', body)
  expect(results[0].index).toBe(0)
  expect(usage.total_tokens).toBeGreaterThan(20)
  expect(await (await fetch(`${second}/info`)).json()).toMatchObject({ max_input_length: 0 })
})

test('openCollection searches a folder with an endpoint', async () => {
  const inputs = { folder: path('notes'), cache: path('cache'), embedUrl: url, model: 'kith' }
  await using collection = await openCollection(inputs)
  const [first] = await collection.search('how do bees find flowers')
  expect(first!.id).toBe('0.md:1')
})
