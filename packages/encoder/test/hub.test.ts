import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { loadEncoder } from '../src/index.ts'
import { bertConfig, bertNames, randomWeights, vocabulary } from './small-models.ts'
import { safetensors } from './support.ts'

const output = temporaryFolder()
const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const repository: Record<string, Buffer> = {
  'README.md': Buffer.from('not needed'),
  'config.json': json(bertConfig),
  'vocab.txt': Buffer.from(vocabulary.join('\n')),
  'modules.json': json([
    { path: '', type: 'sentence_transformers.models.Transformer' },
    { path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
  ]),
  '1_Pooling/config.json': json({ pooling_mode_cls_token: true }),
  'model.safetensors': safetensors(randomWeights(bertNames(''), 8), 'F32'),
  'pytorch_model.bin': Buffer.from('not needed'),
}

/** What a hub lists of a file: git's name of it, or for weights that of its large-file storage. */
function listed(path: string, bytes: Buffer): object {
  const sha1 = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const lfs = { oid: sha256, size: bytes.length, pointerSize: 132 }
  const large = path.endsWith('.safetensors') ? { oid: '0'.repeat(40), lfs } : { oid: sha1 }
  return { type: 'file', path, size: bytes.length, ...large, ...changes[path] }
}
/** What is listed differently, and what is sent in the place of a file. */
let changes: Record<string, object> = {}
let sent: Record<string, Buffer> = {}

/** A hub on this machine: it lists a repository and hands out its files. */
let hub: Server
let hubUrl: string
const asked: string[] = []
beforeAll(async () => {
  hub = createServer((request, response) => {
    const url = decodeURIComponent(request.url!)
    asked.push(`${request.method} ${url}`)
    if (url.startsWith('/api/models/kith/small/tree/main')) {
      const files = Object.entries(repository).map(([path, bytes]) => listed(path, bytes))
      response.setHeader('content-type', 'application/json').end(JSON.stringify(files))
      return
    }
    const path = /^\/kith\/small\/(?:resolve|raw)\/main\/([^?]+)/.exec(url)?.[1]
    const bytes = path && (sent[path] ?? repository[path])
    if (!bytes) {
      response.writeHead(404).end()
      return
    }
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
    const part = from ? bytes.subarray(Number(from), Number(to) + 1) : bytes
    response.writeHead(from ? 206 : 200, {
      'content-length': part.length,
      'content-range': `bytes ${from ?? 0}-${to ?? bytes.length - 1}/${bytes.length}`,
      etag: `"${path}"`,
    })
    response.end(part)
  })
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve))
  hubUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`
})
afterAll(() => void hub.close())

test('downloads the needed files of a model once, and then works without the hub', async () => {
  const cache = join(output, 'models')
  const arrived = new Map<string, number>()
  const onDownload = (file: string, bytes: number, total: number) => {
    expect(bytes).toBeLessThanOrEqual(total)
    arrived.set(file, bytes)
  }
  const first = await loadEncoder('kith/small', { cache, hubUrl, onDownload, threads: 1 })
  const { data } = await first.encode(['dense retrieval'])
  await first.close()
  expect(first.name).toBe('kith/small')
  expect([...arrived.keys()].sort()).toEqual(
    Object.keys(repository)
      .filter((path) => path !== 'README.md' && path !== 'pytorch_model.bin')
      .sort(),
  )
  expect([...arrived.keys()].at(-1)).toBe('model.safetensors')
  for (const [path, bytes] of arrived) expect(bytes).toBe(repository[path]!.length)
  asked.length = 0
  const second = await loadEncoder('kith/small', { cache, hubUrl, threads: 1 })
  expect((await second.encode(['dense retrieval'])).data).toEqual(data)
  await second.close()
  expect(asked).toEqual([])
})

/** A file with one bit turned. */
function turned(path: string): Buffer {
  const bytes = Buffer.from(repository[path]!)
  bytes[bytes.length >> 1]! ^= 1
  return bytes
}
const weights = repository['model.safetensors']!
const tampered: [string, string, Partial<{ sent: Buffer; listed: object }>, RegExp][] = [
  [
    'a turned bit',
    'model.safetensors',
    { sent: turned('model.safetensors') },
    /expected the sha256/,
  ],
  ['a turned bit', 'config.json', { sent: turned('config.json') }, /expected the sha1/],
  ['a turned bit', '1_Pooling/config.json', { sent: turned('1_Pooling/config.json') }, /sha1/],
  [
    'no end',
    'model.safetensors',
    { sent: weights.subarray(0, 5000) },
    /expected \d+ bytes, got 5000/,
  ],
  [
    'more',
    'vocab.txt',
    { sent: Buffer.concat([weights, weights]) },
    /expected \d+ bytes, got more/,
  ],
  ['nothing', 'vocab.txt', { sent: Buffer.alloc(0) }, /got 0|could not be downloaded/],
  ['another checksum', 'model.safetensors', { listed: { lfs: { oid: 'x', size: 1 } } }, /got more/],
  ['no checksum', 'config.json', { listed: { oid: undefined } }, /lists no checksum/],
]

test.each(tampered)('discards a download with %s of %s', async (what, path, how, problem) => {
  const cache = join(output, 'tampered', what, path)
  if (how.sent) sent = { [path]: how.sent }
  if (how.listed) changes = { [path]: how.listed }
  try {
    const loading = loadEncoder('kith/small', { cache, hubUrl, threads: 1 })
    await expect(loading).rejects.toThrow(problem)
    await expect(loading).rejects.toMatchObject({ name: 'KithError' })
    await expect(loading).rejects.toThrow(path)
  } finally {
    changes = {}
    sent = {}
  }
  const folder = join(cache, 'kith', 'small')
  const left = existsSync(folder) ? readdirSync(folder, { recursive: true }) : []
  // Neither the file nor a temporary one beside it.
  expect(left.filter((name) => String(name).includes(path))).toEqual([])
  expect(left).not.toContain('model.safetensors')
  // With what was promised it goes on.
  const encoder = await loadEncoder('kith/small', { cache, hubUrl, threads: 1 })
  await encoder.close()
})

test('names the folder for the files if there is no connection', async () => {
  const cache = join(output, 'offline')
  const options = { cache, hubUrl: 'http://127.0.0.1:1' }
  await expect(loadEncoder('kith/small', options)).rejects.toThrow(
    `copy config.json, tokenizer.json and model.safetensors (and modules.json and 1_Pooling/config.json, if the model has them) into ${join(cache, 'kith', 'small')}`,
  )
  await expect(loadEncoder('kith/absent', { cache, hubUrl })).rejects.toMatchObject({
    code: 'BAD_INPUT',
  })
  await expect(loadEncoder('./no/such/folder')).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('./no/such/folder'),
  })
})

test('leaves no file that looks complete after an interrupted download', async () => {
  const cache = join(output, 'broken')
  const whole = repository['model.safetensors']!
  const stop = () => {
    throw new Error('the cable was cut')
  }
  const onDownload = (file: string) => {
    if (file === 'model.safetensors') stop()
  }
  await expect(loadEncoder('kith/small', { cache, hubUrl, onDownload })).rejects.toThrow('cable')
  const folder = join(cache, 'kith', 'small')
  expect(existsSync(join(folder, 'config.json'))).toBe(true)
  expect(readdirSync(folder).filter((name) => name.startsWith('model.'))).toEqual([])
  const encoder = await loadEncoder('kith/small', { cache, hubUrl, threads: 1 })
  await encoder.close()
  expect(whole.length).toBeGreaterThan(0)
})
