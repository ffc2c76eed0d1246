import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddings, readTexts, type TextEntry } from '@kith/ir'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeSmallModel } from '../../../test/faults/small-model.mjs'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { thorough } from '../../../test/thorough.ts'
import { type Encoder, loadEncoder } from '../src/index.ts'
import { cosine, generator } from './support.ts'

const folder = temporaryFolder()

/** Documents of each collection that are encoded here; all of them take minutes. */
const SAMPLE = 16

let encoder: Encoder
beforeAll(async () => {
  encoder = await loadEncoder('minilm')
})
afterAll(() => encoder.close())

/** Encoders that cut texts elsewhere, by the place: several collections share one. */
const cutting = new Map<number, Promise<Encoder>>()
function cuttingAt(maxTokens: number): Promise<Encoder> | Encoder {
  if (maxTokens === encoder.maxTokens) return encoder
  const opened = cutting.get(maxTokens) ?? loadEncoder('minilm', { maxTokens })
  cutting.set(maxTokens, opened)
  return opened
}
afterAll(async () => {
  for (const opened of cutting.values()) await (await opened).close()
})

/** The collections, and where the texts of their given embeddings were cut. */
const collections: [string, number][] = [
  ['cranfield', 256],
  ['cisi', 256],
  ['scifact', 256],
  ['trec-dl-2019-judged', 192],
]

describe.each(collections)('%s', (name, maxTokens) => {
  const folder = sharedCollection(name)
  test.skipIf(!folder).each([
    ['documents', 'corpus.jsonl', 'docs.npy', SAMPLE],
    ['queries', 'queries.jsonl', 'queries.npy', thorough ? Number.POSITIVE_INFINITY : 60],
  ])('reproduces the recorded embeddings of %s', async (_, textFile, vectorFile, most) => {
    const vectors = join(folder!, 'embeddings/all-MiniLM-L6-v2', vectorFile)
    const expected = await openEmbeddings(vectors)
    const entries: TextEntry[] = []
    for await (const entry of readTexts(join(folder!, textFile))) {
      if (expected.rowOf(entry.id) !== undefined) entries.push(entry)
    }
    const random = generator(name.length)
    const share = most / entries.length
    const chosen = entries.filter(() => random() < share)
    expect(chosen.length).toBeGreaterThan(Math.min(most, SAMPLE) * 0.5)
    const texts = chosen.map(({ title, text }) => (title ? `${title} ${text}` : text))
    const { data, dimensions } = await (await cuttingAt(maxTokens)).encode(texts)
    chosen.forEach(({ id }, i) => {
      const row = expected.rowOf(id)!
      const ours = data.subarray(i * dimensions, (i + 1) * dimensions)
      expect(cosine(ours, expected.read(row, row + 1)), id).toBeGreaterThan(0.99999)
    })
    await expected.close()
  })
})

const odd = [
  '',
  ' \t\n\r\u00a0\u3000',
  '😀 👩‍👩‍👧‍👦 🏳️‍🌈',
  'مرحبا بالعالم، كيف حالك؟',
  'שלום עולם',
  '密集检索 と 近傍',
  'a\u0000b\u0007c\u001b[31m\ufffd\ufeff\u200d',
  '\ud83d lone surrogates \udc00',
  'word '.repeat(20_000),
  'x'.repeat(100_000),
  '漢'.repeat(100_000),
  '[CLS] [SEP] [PAD] [MASK] ##ing',
  'É é ß İ ﬁ Å ŏ́',
]

test('encodes unusual texts to unit vectors, and counts truncated texts', async () => {
  const { data, rows, dimensions, cut } = await encoder.encode(odd)
  expect(rows).toBe(odd.length)
  // A word of more than 100 letters is one unknown token.
  expect(cut).toBe(2)
  for (let i = 0; i < rows; i++) {
    const row = data.subarray(i * dimensions, (i + 1) * dimensions)
    expect(Math.abs(Math.hypot(...row) - 1)).toBeLessThan(1e-5)
  }
  const first = data.subarray(0, dimensions)
  expect(data.subarray(dimensions, 2 * dimensions)).toEqual(first)
})

test('encodes a text independently of the other texts and the threads', async () => {
  const texts = [...odd, ...manyTexts(200)]
  const { data, dimensions } = await encoder.encode(texts)
  const one = await loadEncoder('minilm', { threads: 1 })
  try {
    for (const i of [0, 2, 8, 9, 20, 50, 111, texts.length - 1]) {
      const alone = await one.encode([texts[i]!])
      expect(alone.data).toEqual(data.subarray(i * dimensions, (i + 1) * dimensions))
    }
    const rest = await one.encode(texts.slice(151))
    expect(rest.data).toEqual(data.subarray(151 * dimensions))
  } finally {
    await one.close()
  }
})

test('yields all rows of a stream in order, and reads its texts step by step', async () => {
  // Of any model, so of one that does not take seconds.
  await using small = await loadEncoder(writeSmallModel(folder))
  const texts = manyTexts(4000)
  let taken = 0
  async function* source() {
    for (const text of texts) {
      taken++
      yield text
    }
  }
  const { data } = await small.encode(texts)
  const parts: Float32Array[] = []
  const progress: number[] = []
  let firstTaken = 0
  for await (const part of small.encodeStream(source(), {
    onProgress: (n) => progress.push(n),
  })) {
    firstTaken ||= taken
    parts.push(part.data)
  }
  expect(firstTaken).toBeLessThan(texts.length)
  expect(Buffer.concat(parts.map(bytesOf))).toEqual(bytesOf(data))
  expect(progress.at(-1)).toBe(texts.length)
  expect(progress).toEqual([...progress].sort((a, b) => a - b))
})

test('stops on a signal, and can encode other texts afterwards', async () => {
  const stop = new AbortController()
  const texts = manyTexts(2000)
  const reason = new Error('enough')
  const onProgress = () => stop.abort(reason)
  const stopped = encoder.encode(texts, { signal: stop.signal, onProgress })
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
  for await (const part of encoder.encodeStream(texts)) {
    expect(part.rows).toBeGreaterThan(0)
    break
  }
  expect((await encoder.encode(['still here'])).rows).toBe(1)
  expect((await encoder.encode([])).rows).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'fails the texts of a killed process, and replaces the process',
  async () => {
    const texts = manyTexts(100)
    const { data } = await encoder.encode(texts)
    const before = new Set(sessionProcesses())
    const one = await loadEncoder('minilm', { threads: 1 })
    const broken = one.encode(texts, {
      onProgress() {
        for (const pid of sessionProcesses()) if (!before.has(pid)) process.kill(pid, 'SIGKILL')
      },
    })
    await expect(broken).rejects.toMatchObject({
      code: 'OUT_OF_MEMORY',
      message: expect.stringMatching(/an encoder process ended \(SIGKILL\)/),
    })
    expect(bytesOf((await one.encode(texts)).data)).toEqual(bytesOf(data))
    await one.close()
    expect(sessionProcesses().filter((pid) => !before.has(pid))).toEqual([])
  },
)

test('names wrong inputs', async () => {
  const bad = encoder.encode(['fine', 7 as unknown as string])
  await expect(bad).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('text 1'),
  })
  const failing = (async function* () {
    yield 'fine'
    throw new Error('the source broke')
  })()
  const drain = async () => {
    for await (const part of encoder.encodeStream(failing)) expect(part).toBeDefined()
  }
  await expect(drain()).rejects.toThrow('the source broke')
  const role = 'passage' as 'query'
  await expect(encoder.encode(['fine'], { role })).rejects.toMatchObject({ code: 'BAD_SETTING' })
  await expect(loadEncoder('minilm', { threads: 0 })).rejects.toMatchObject({ code: 'BAD_SETTING' })
  await expect(loadEncoder('minilm', { maxTokens: 513 })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  await expect(loadEncoder('minilm', { maxTokens: 2 })).rejects.toThrow(
    'must leave room for a text',
  )
  await expect(loadEncoder('minilm', { pooling: 'max' as 'mean' })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  const closed = await loadEncoder('minilm', { threads: 1 })
  await closed.close()
  await expect(closed.encode(['late'])).rejects.toMatchObject({
    code: 'CLOSED',
    message: 'the encoder was closed',
  })
})

/** The encoder processes that this one has started. */
function sessionProcesses(): number[] {
  const own = `/proc/${process.pid}/task`
  return readdirSync(own)
    .flatMap((task) => readFileSync(join(own, task, 'children'), 'utf8').split(' '))
    .filter((pid) => pid !== '' && existsSync(`/proc/${pid}/cmdline`))
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('session-process'))
    .map(Number)
}

function manyTexts(count: number): string[] {
  const random = generator(count)
  const words = ['dense', 'retrieval', 'of', 'neighbors', 'kith', 'évidence', '近傍', 'ranking']
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random() * 5 }, () => words[Math.floor(random() * 8)]).join(' '),
  )
}

function bytesOf(data: Float32Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}
