import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMetadata, writeTensors } from '@kith/base/safetensors'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  AdapterModel,
  type DocumentVectors,
  openEncoderModel,
  type TrainingJob,
  type TrainingQuery,
  train,
} from '../src/index.ts'
import { Digest } from '../src/run/digest.ts'
import { documentsIdentity } from '../src/run/identity.ts'
import { documentsOf, randomDocuments, writeSmallModel } from './support.ts'

const folder = temporaryFolder()
const [ROWS, DIMENSIONS] = [30, 8]
const documents = randomDocuments(ROWS, DIMENSIONS, 3)
const base = writeSmallModel(join(folder, 'base'))
const queries: TrainingQuery[] = ['red', 'green', 'blue', 'one'].map((word, i) => ({
  id: word,
  text: `the ${word} kith`,
  vector: documents.read(i, i + 1),
  relevant: [i, i + 8],
  grades: [1, 2],
  retrieved: [i + 4, i + 5, i + 6],
  labels: { rows: [i, i + 2], values: [0.75, 0.25] },
}))
const settings = { steps: 2, batchSize: 2, listSize: 6, dropout: 0 }

/** A training that has one step left. */
async function begin(name: string, job: Partial<TrainingJob>): Promise<TrainingJob> {
  const stop = new AbortController()
  const whole: TrainingJob = {
    ...{ documents, queries, validation: queries, settings, out: join(folder, name) },
    model: await openEncoderModel(base),
    ...job,
  }
  const ended = await train({ ...whole, onStep: () => stop.abort(), signal: stop.signal })
  expect(ended).toMatchObject({ ended: 'stopped', steps: 1 })
  return whole
}

const goOn = async (job: TrainingJob, change: Partial<TrainingJob> = {}) =>
  train({ ...job, model: await openEncoderModel(base), ...change, resume: true })

/** The queries, of which the third is another. */
const third = (change: Partial<TrainingQuery>) => ({
  queries: queries.map((query, i) => (i === 2 ? { ...query, ...change } : query)),
})

describe('resuming a training', () => {
  let job: TrainingJob
  beforeAll(async () => {
    job = await begin('stopped', {})
  })

  const changed = (at: number): DocumentVectors => {
    const memory = documents.read(0, ROWS)
    memory[at]! += 1e-3
    return documentsOf(memory, DIMENSIONS)
  }
  test.each<[string, Partial<TrainingJob>, string]>([
    ['one number of one document', { documents: changed(77) }, 'vectors of the documents'],
    [
      'other documents of the same shape',
      { documents: randomDocuments(ROWS, DIMENSIONS, 4) },
      'vectors of the documents',
    ],
    [
      'a document more',
      { documents: randomDocuments(ROWS + 1, DIMENSIONS, 3) },
      'documents "30 × 8" (now: "31 × 8")',
    ],
    [
      'the ids of the documents',
      { documents: { ...documents, idOf: (row) => `d${row}` } },
      'ids of the documents',
    ],
    ['one text', third({ text: 'the blue kiths' }), 'texts of the training queries'],
    ['one id', third({ id: 'two' }), 'ids of the training queries'],
    [
      'one number of an embedding',
      third({ vector: documents.read(9, 10) }),
      'embeddings of the training queries',
    ],
    ['one relevant document', third({ relevant: [2, 11] }), 'judgments of the training queries'],
    ['one grade', third({ grades: [2, 2] }), 'judgments of the training queries'],
    ['two candidates', third({ retrieved: [7, 6, 8] }), 'candidates of the training queries'],
    [
      'one label',
      third({ labels: { rows: [2, 4], values: [0.7, 0.25] } }),
      'labels of the training queries',
    ],
    ['no labels', third({ labels: undefined }), 'labels of the training queries'],
    [
      'one text of validation',
      { validation: third({ text: 'other' }).queries },
      'texts of the validation queries',
    ],
    ['no validation', { validation: undefined }, 'number of validation queries 4 (now: 0)'],
    ['a setting', { settings: { ...settings, seed: 7 } }, 'seed 0 (now: 7)'],
    [
      'a setting of the target',
      { settings: { ...settings, target: { k: 3 } } },
      'target.k not set (now: 3)',
    ],
  ])('refuses a change: %s', async (_, change, named) => {
    const failed = goOn(job, change)
    await expect(failed).rejects.toThrow(named)
    await expect(failed).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('latest.safetensors'),
    })
  })

  const copy = (name: string, change: (at: string) => void): string => {
    const at = join(folder, name)
    cpSync(base, at, { recursive: true })
    change(at)
    return at
  }
  test.each<[string, (at: string) => void, string]>([
    [
      'one number of the weights',
      (at) => {
        const file = join(at, 'model.safetensors')
        const bytes = readFileSync(file)
        const header = 8 + Number(bytes.readBigUInt64LE())
        bytes.writeFloatLE(bytes.readFloatLE(header + 40) + 0.01, header + 40)
        writeFileSync(file, bytes)
      },
      'other weights of the model',
    ],
    [
      'two words of the vocabulary exchanged',
      (at) => {
        const file = join(at, 'vocab.txt')
        const words = readFileSync(file, 'utf8').replace('red\ngreen', 'green\nred')
        writeFileSync(file, words)
      },
      'other tokenizer of the model',
    ],
    [
      'the number of heads, which no weight tells',
      (at) => {
        const file = join(at, 'config.json')
        const config = JSON.parse(readFileSync(file, 'utf8'))
        writeFileSync(file, JSON.stringify({ ...config, num_attention_heads: 4 }))
      },
      'other configuration of the model',
    ],
  ])('refuses a model of the same shape: %s', async (name, change, named) => {
    const model = await openEncoderModel(copy(name.replaceAll(' ', '-'), change))
    await expect(goOn(job, { model })).rejects.toThrow(named)
  })

  test.each([
    [{ topLayers: 1 }, 'other choice of the model’s weights that learn'],
    [{ maxTokens: 6 }, 'tokens per query 16 (now: 6)'],
    [{ queryPrefix: 'query: ' }, 'query prefix "" (now: "query: ")'],
    [{ pooling: 'first' as const }, 'pooling of the model "mean" (now: "first")'],
  ])('refuses a model opened with %j', async (options, named) => {
    await expect(goOn(job, { model: await openEncoderModel(base, options) })).rejects.toThrow(named)
  })

  test('names all differences at once', async () => {
    const change = { ...third({ text: 'x' }), documents: changed(0) }
    await expect(goOn(job, change)).rejects.toThrow(
      'other vectors of the documents; with other texts of the training queries',
    )
  })

  test('accepts the same data in other list types', async () => {
    const same = queries.map((query) => ({
      ...query,
      retrieved: Uint32Array.from(query.retrieved),
      labels: { ...query.labels!, values: Float64Array.from(query.labels!.values) },
    }))
    const memory = documents.read(0, ROWS)
    const result = await goOn(job, { queries: same, documents: documentsOf(memory, DIMENSIONS) })
    expect(result).toMatchObject({ ended: 'done', steps: 2 })
  })
})

test('refuses a checkpoint of a version that recorded only shapes', async () => {
  const job = await begin('old', {})
  const file = join(job.out, 'checkpoints/latest.safetensors')
  const progress = JSON.parse(readMetadata(file)['training'] as string)
  const identity = JSON.stringify({ ...settings, documents: '30 × 8', queries: 'a1' })
  await writeTensors(file, [], { training: JSON.stringify({ ...progress, identity }) })
  await expect(goOn(job)).rejects.toThrow(
    /latest\.safetensors: was made by a version of Kith that did not record documents and model/,
  )
})

test('refuses an adapter that starts from other weights', async () => {
  const adapter = (seed: number) => new AdapterModel({ kind: 'mlp', dimensions: DIMENSIONS, seed })
  const job = await begin('adapter', { model: adapter(0) })
  await expect(goOn(job, { model: adapter(1) })).rejects.toThrow('other weights of the model')
  expect(await goOn(job, { model: adapter(0) })).toMatchObject({ steps: 2 })
})

test('resumes with the same documents by position as from memory', async () => {
  const file = join(folder, 'docs.npy')
  const ids = Array.from({ length: ROWS }, (_, row) => `d${row}`)
  const write = (data: Float32Array) =>
    writeEmbeddings(file, { dimensions: DIMENSIONS, ids }, [data])
  await write(documents.read(0, ROWS))
  const inMemory = await openEmbeddings(file)
  const job = await begin('by-position', { documents: inMemory })
  const byPosition = await openEmbeddings(file, { memory: 0 })
  expect([inMemory.memory === undefined, byPosition.memory]).toEqual([false, undefined])
  expect(await goOn(job, { documents: byPosition })).toMatchObject({ steps: 2 })
  byPosition.close()
  const other = documents.read(0, ROWS)
  other[200]! += 1
  await write(other)
  const changed = await openEmbeddings(file, { memory: 0 })
  await expect(goOn(job, { documents: changed })).rejects.toThrow('vectors of the documents')
  changed.close()
  inMemory.close()
})

describe('documentsIdentity of many documents', () => {
  const rows = 40_000
  const large = randomDocuments(rows, 2, 5)
  const read = new Set<number>()
  const watched: DocumentVectors = {
    ...large,
    gather(wanted, into) {
      for (const row of Array.from(wanted)) read.add(row)
      return large.gather(wanted, into)
    },
    read: () => {
      throw new Error('read whole')
    },
  }

  test('reads 10,000 rows, spread over all documents', () => {
    documentsIdentity(watched, 'a', 0)
    expect(read.size).toBe(10_000)
    for (let from = 0; from < rows; from += 4) {
      expect([0, 1, 2, 3].filter((i) => read.has(from + i))).toHaveLength(1)
    }
    const places = [0, 1, 2, 3].map((i) => [...read].filter((row) => row % 4 === i).length)
    for (const count of places) expect(count).toBeGreaterThan(2000)
  })

  test('distinguishes other documents, other ids and another file', () => {
    const own = documentsIdentity(large, '10 bytes', 0)
    expect(documentsIdentity(large, '10 bytes', 0)).toEqual(own)
    const different = [
      documentsIdentity(large, '11 bytes', 0),
      documentsIdentity(randomDocuments(rows, 2, 6), '10 bytes', 0),
      documentsIdentity({ ...large, idOf: String }, '10 bytes', 0),
    ]
    for (const other of different) expect(other).not.toEqual(own)
    // Read whole, a copy of the file is the same documents.
    expect(documentsIdentity(large, 'a')).toEqual(documentsIdentity(large, 'b'))
  })
})

test('Digest differs for each list of parts', () => {
  const digests = [
    new Digest().text('ab').text('c'),
    new Digest().text('a').text('bc'),
    new Digest().text('abc'),
    new Digest().text('abc').text(''),
    new Digest().text('abc').text(undefined),
    new Digest().rows([1, 2]).rows([3]),
    new Digest().rows([1]).rows([2, 3]),
    new Digest().numbers([1, 2]).numbers([3]),
  ].map((digest) => digest.end())
  expect(new Set(digests).size).toBe(digests.length)
})
