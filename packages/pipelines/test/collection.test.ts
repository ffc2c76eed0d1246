import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type AdapterFile, writeAdapterFile } from '@kith/base/query-adapter'
import {
  background,
  type PartialSettings,
  rerank,
  type TitledText,
  termStatistics,
} from '@kith/core'
import { resolveSettings } from '@kith/core/internal'
import type { EncodeOptions, Encoder } from '@kith/encoder'
import { openEmbeddings, readTexts, writeEmbeddings } from '@kith/ir'
import { type SearchStore, withWords } from '@kith/stores/internal'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import { Collection } from '../src/collection/collection.ts'
import { type CollectionInputs, openCollectionWith } from '../src/collection/open-collection.ts'
import { passageStore } from '../src/collection/passage-vectors.ts'
import type { NamedEncoder } from '../src/encode/encode-texts.ts'
import type { Hooks } from '../src/job/hooks.ts'
import { loadStore } from '../src/load/load-store.ts'

/** Encoders that were opened and not closed. */
const open = new Set<object>()

/** Examples and the tests of `kith mcp` load a real model; this one counts letters and is there at once. */
async function openLetters(): Promise<NamedEncoder> {
  const dimensions = 26
  async function* encodeStream(
    texts: Iterable<string> | AsyncIterable<string>,
    { onProgress }: EncodeOptions = {},
  ) {
    let done = 0
    for await (const text of texts) {
      const data = new Float32Array(dimensions)
      for (const letter of text.toLowerCase().match(/[a-z]/g) ?? []) {
        data[letter.charCodeAt(0) - 97]! += 1 / text.length
      }
      yield { data, rows: 1, dimensions, cut: 0 }
      onProgress?.(++done)
    }
  }
  const encoder = {
    ...{ name: 'letters', dimensions, maxTokens: 99, source: { files: [] }, encodeStream },
    encode: async (texts: readonly string[]) => (await encodeStream(texts).next()).value,
    close: async () => open.delete(encoder),
  }
  open.add(encoder)
  return { encoder: encoder as unknown as Encoder, model: { model: 'letters' } }
}
const openCollection = (inputs: CollectionInputs, hooks: Hooks = {}) =>
  openCollectionWith(openLetters, inputs, hooks)

/** Writes the embeddings of a file's texts. */
async function encodeTexts(input: string, out: string): Promise<void> {
  const { encoder } = await openLetters()
  const [ids, vectors]: [string[], Float32Array[]] = [[], []]
  for await (const { id, title, text } of readTexts(input)) {
    ids.push(id)
    vectors.push((await encoder.encode([title ? `${title} ${text}` : text])).data)
  }
  await encoder.close()
  await writeEmbeddings(out, { dimensions: encoder.dimensions, ids }, vectors)
}
afterEach(() => expect(open).toEqual(new Set()))

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const cache = path('cache')

const notes: Record<string, string> = {
  'bees.md':
    '# Bees\n\nBees find flowers by color and scent.\n\n## Winter\n\nThe colony forms a ball around its queen.\n',
  'garden/roses.md': 'Roses need sun, water and a fence against deer.\n',
  'garden/tools.md': '# Tools\n\nA spade, a rake and a watering can.\n',
  'ships.md': '# Ships\n\nA harbour has cranes. Sailors mend sails in winter.\n',
}
beforeAll(() => {
  for (const [name, text] of Object.entries(notes)) {
    mkdirSync(path(join('notes', name, '..')), { recursive: true })
    writeFileSync(path(join('notes', name)), text)
  }
})

/** What a call did: the stages that it went through, with their sizes. */
function watched() {
  const stages = new Map<string, number>()
  return {
    stages,
    onProgress: ({ stage, total }: { stage: string; total: number }) => stages.set(stage, total),
  }
}

describe('a folder of Markdown files', () => {
  const inputs: CollectionInputs = { folder: path('notes'), cache }
  /** The file of its kept embeddings. */
  const kept = () => join(cache, readdirSync(cache).find((name) => name.endsWith('.vectors'))!)

  test('is searched by meaning and words, with explanations', async () => {
    const hooks = watched()
    await using collection = await openCollection(inputs, hooks)
    expect(hooks.stages).toEqual(new Map([['encoding', 5]]))
    const found = await collection.search('how do insects find flowers', { topN: 3 })
    expect(found).toHaveLength(3)
    const [first] = found
    expect(first).toMatchObject({
      id: 'bees.md:3',
      title: 'Bees',
      text: 'Bees find flowers by color and scent.',
    })
    const { parts, matched, rankBefore } = first!.reasons
    const sum = Object.values(parts).reduce((whole, part) => whole + part, 0)
    expect(sum).toBeCloseTo(first!.score, 5)
    expect(matched.map(({ term }) => term).sort()).toEqual(['find', 'flower'])
    expect(rankBefore).toBeGreaterThan(0)
    expect(first!.reasons).toBe(first!.reasons)
    expect(await collection.document('ships.md:3')).toEqual({
      id: 'ships.md:3',
      title: 'Ships',
      text: 'A harbour has cranes. Sailors mend sails in winter.',
    })
    expect(await collection.document('ships.md:4')).toBeUndefined()
  })

  test('is encoded once, and later only its changed parts', async () => {
    const again = watched()
    const first = await openCollection(inputs, again)
    const before = await first.search('winter')
    await first.close()
    expect(again.stages).toEqual(new Map())
    writeFileSync(path('notes/ships.md'), '# Ships\n\nSubmarines dive.\n')
    const changed = watched()
    await using second = await openCollection(inputs, changed)
    expect(changed.stages).toEqual(new Map([['encoding', 1]]))
    const [dive] = await second.search('submarines', { topN: 1 })
    expect(dive!.text).toBe('Submarines dive.')
    writeFileSync(path('notes/ships.md'), notes['ships.md']!)
    await using third = await openCollection(inputs)
    const plain = (list: typeof before) => list.map(({ id, score }) => ({ id, score }))
    expect(plain(await third.search('winter'))).toEqual(plain(before))
  })

  test('resumes after a stop', async () => {
    rmSync(kept())
    const stop = new AbortController()
    const stopped = openCollection(inputs, {
      signal: stop.signal,
      onProgress: ({ done }) => done > 0 && stop.abort(new Error('enough')),
    })
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', message: /enough/ })
    const hooks = watched()
    await using collection = await openCollection(inputs, hooks)
    expect(hooks.stages).toEqual(new Map([['encoding', 3]]))
    expect((await collection.search('roses', { topN: 1 }))[0]!.id).toBe('garden/roses.md:1')
  })

  test('encodes only damaged parts of the cached embeddings again', async () => {
    const whole = readFileSync(kept())
    const size = whole.length / 5
    const flipped = (at: number): Buffer => {
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 1
      return bytes
    }
    const cases: [Buffer, number, string][] = [
      // A bit of the third embedding, one of its digest, and one of its key.
      [flipped(2 * size + 64 + 5), 1, '1 damaged embeddings in '],
      [flipped(2 * size + 40), 1, '1 damaged embeddings in '],
      [flipped(2 * size + 3), 1, ''],
      [whole.subarray(0, whole.length - 1), 1, '1 damaged embeddings in '],
      [Buffer.concat([whole, Buffer.of(0)]), 0, '1 damaged embeddings in '],
      [Buffer.from('no embeddings'), 5, '1 damaged embeddings in '],
      [Buffer.alloc(0), 5, ''],
    ]
    for (const [bytes, encoded, remark] of cases) {
      writeFileSync(kept(), bytes)
      const remarks: string[] = []
      const hooks = { ...watched(), onRemark: (said: string) => remarks.push(said) }
      await (await openCollection(inputs, hooks)).close()
      expect(hooks.stages).toEqual(new Map(encoded > 0 ? [['encoding', encoded]] : []))
      expect(remarks.join()).toContain(remark)
      if (remark === '') expect(remarks).toEqual([])
      expect(entriesOf(readFileSync(kept()))).toEqual(entriesOf(whole))
    }
    function entriesOf(bytes: Buffer): Set<string> {
      const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => i * size)
      return new Set(starts.map((at) => bytes.toString('hex', at, at + size)))
    }
  })

  test('replaces a link by a new cache file that only this user can read', async () => {
    const file = kept()
    const target = path('elsewhere')
    writeFileSync(target, 'mine')
    rmSync(file)
    symlinkSync(target, file)
    const remarks: string[] = []
    const hooks = { ...watched(), onRemark: (remark: string) => remarks.push(remark) }
    await (await openCollection(inputs, hooks)).close()
    expect(hooks.stages).toEqual(new Map([['encoding', 5]]))
    expect(remarks).toEqual([
      expect.stringContaining('cannot use cached embeddings, encoding all passages'),
    ])
    expect(remarks[0]).toContain('is a symbolic link, which Kith does not follow')
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(lstatSync(file).isFile()).toBe(true)
    if (process.platform !== 'win32') expect(lstatSync(file).mode & 0o777).toBe(0o600)
    for (const name of readdirSync(cache)) expect(name).toMatch(/\.(vectors|words)$/)
    if (process.platform !== 'win32') {
      const modes = readdirSync(cache).map((name) => lstatSync(join(cache, name)).mode & 0o777)
      expect(modes).toEqual([0o600, 0o600])
    }
  })

  test('refuses a search after it was closed, and on a signal', async () => {
    const collection = await openCollection(inputs)
    const signal = AbortSignal.abort(new Error('too late'))
    const aborted = { code: 'ABORTED', cause: signal.reason }
    await expect(collection.search('roses', { signal })).rejects.toMatchObject(aborted)
    await expect(collection.search('roses', { topN: 0 })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    })
    await collection.close()
    await collection.close()
    await expect(collection.search('roses')).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(collection.document('a')).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('estimates relevance and refuses queries off topic if there are enough passages', async () => {
    const [many, own] = [temporaryFolder(), temporaryFolder()]
    const animals = ['Bees', 'Wasps', 'Moths', 'Ants', 'Birds', 'Bats', 'Mice', 'Frogs']
    const acts = ['find flowers', 'sleep in winter', 'build homes', 'fear storms', 'eat seeds']
    const places = ['in old trees', 'near the river']
    for (const animal of animals) {
      const passages = acts.flatMap((act) => places.map((place) => `${animal} ${act} ${place}.`))
      writeFileSync(
        join(many, `${animal}.md`),
        passages.map((text) => `# ${text}\n\n${text}\n`).join('\n'),
      )
    }
    await using collection = await openCollection({ ...inputs, folder: many, cache: own })
    expect(collection.estimatesRelevance).toBe(true)
    const text = 'where do bees find flowers'
    const all = await collection.search(text)
    expect(all.every(({ similarity }) => similarity! > 0)).toBe(true)
    const relevances = all.map(({ relevance }) => relevance!)
    expect(relevances).toEqual(relevances.toSorted((a, b) => b - a))
    const kept = await collection.search(text, { cutoff: 'auto', topN: 100 })
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(21)
    expect(await collection.search('quarterly tax return forms', { onTopic: 0.5 })).toEqual([])
    await using few = await openCollection({ ...inputs, cache: own })
    expect(few.estimatesRelevance).toBe(false)
    await expect(few.search(text, { onTopic: 0.5 })).rejects.toThrow('a background')
    // A background of other vectors is not used, and a warning says so.
    const known = path('other.json')
    const other = background([Float32Array.of(1, 0), Float32Array.of(0, 1)])
    writeFileSync(known, JSON.stringify(other))
    const warned = new Promise<Error>((done) => process.once('warning', done))
    const folder = { ...inputs, folder: many, cache: own }
    await using wrong = await openCollection({ ...folder, background: known })
    expect(wrong.estimatesRelevance).toBe(false)
    expect((await warned).message).toContain(
      `${known} has vectors of 2 dimensions, but the collection has 26: relevance is not estimated`,
    )
  })
})

describe('documents with embeddings', () => {
  const corpus = path('corpus.jsonl')
  const docs = path('docs.npy')
  const query = 'what do bees need in winter'
  const database = emptyDatabase()

  beforeAll(async () => {
    const subjects = ['bees', 'wasps', 'roses', 'ships', 'spades', 'queens']
    const verbs = ['sleep in winter', 'need water', 'find flowers', 'are old']
    const lines = subjects.flatMap((subject) =>
      verbs.map((verb) => ({
        _id: `${subject} ${verb}`,
        title: subject,
        text: `All ${subject} ${verb}.`,
      })),
    )
    writeFileSync(corpus, lines.map((line) => JSON.stringify(line)).join('\n'))
    await encodeTexts(corpus, docs)
  })

  /** All documents by similarity, reranked by the library. */
  async function expected(
    settings: PartialSettings = {},
  ): Promise<{ id: string; score: number }[]> {
    writeFileSync(path('query.jsonl'), JSON.stringify({ _id: 'q', text: query }))
    const out = path('query.npy')
    await encodeTexts(path('query.jsonl'), out)
    const [vectors, queries] = [await openEmbeddings(docs), await openEmbeddings(out)]
    const vector = queries.read(0, 1)
    const rows: { id: string; text: TitledText; vector: Float32Array; near: number }[] = []
    for await (const { id, title, text } of readTexts(corpus)) {
      const own = vectors.gather([vectors.rowOf(id)!])
      const near = own.reduce((sum, value, i) => sum + value * vector[i]!, 0)
      rows.push({ id, text: { title, text }, vector: own, near })
    }
    rows.sort((a, b) => b.near - a.near)
    const texts = rows.map(({ text }) => text)
    const candidates = { vectors: rows.map((row) => row.vector), texts }
    const statistics = termStatistics(texts.map(({ title, text }) => `${title} ${text}`))
    const { order, scores } = rerank({ vector, text: query }, candidates, {
      statistics,
      ...settings,
    })
    return Array.from(order, (index, place) => ({ id: rows[index]!.id, score: scores[place]! }))
  }

  const find = async (inputs: CollectionInputs) => {
    await using collection = await openCollection(inputs)
    const found = await collection.search(query, { topN: 24 })
    return found.map(({ id, score }) => ({ id, score }))
  }
  const close = (list: { id: string; score: number }[]) =>
    list.map(({ id, score }) => ({ id, score: expect.closeTo(score, 4) }))

  test('returns the same results for files as the library', async () => {
    const all = await expected()
    expect(await find({ docs, corpus })).toEqual(close(all))
    const context = await find({ docs, corpus, statistics: 'context' })
    expect(context).toEqual(close(await expected({ statistics: undefined })))
    await using bare = await openCollection({ docs })
    const [first] = await bare.search(query, { topN: 1 })
    expect(first).toMatchObject({ text: undefined, reasons: { matched: [] } })
  })

  const stores = [
    { name: 'LanceDB', there: true, address: () => path('lance') },
    { name: 'PostgreSQL', there: postgres, address: () => database.url },
  ]
  test.each(stores.filter(({ there }) => there))(
    'of $name return the same results',
    async ({ address }) => {
      const store = address()
      await loadStore({ store, docs, corpus, index: true })
      expect(await find({ store })).toEqual(close(await expected()))
    },
  )

  test('are found by adapted queries if the adapter belongs to the model and the corpus', async () => {
    const docs = path('adapted-docs.npy')
    const letter = (i: number) => Float32Array.from({ length: 26 }, (_, j) => (i === j ? 1 : 0))
    const ids = ['a', 'b', 'c']
    await writeEmbeddings(docs, { dimensions: 26, ids }, [letter(0), letter(1), letter(2)])
    // Turns the letter a into the letter c.
    const weights = new Float32Array(26 * 26)
    weights[0] = -1
    weights[2 * 26] = 1
    const file: AdapterFile = {
      ...{ kind: 'linear', dimensions: 26, normalize: true },
      weights: new Map([['up.weight', weights]]),
      origin: { model: 'letters', documents: { ids: ['a'], vectors: letter(0) } },
    }
    const first = async (adapter?: string) => {
      await using collection = await openCollection({ docs, adapter })
      return (await collection.search('a', { topN: 1 }))[0]!.id
    }
    await writeAdapterFile(path('turning'), file)
    expect(await first()).toBe('a')
    expect(await first(path('turning'))).toBe('c')
    await writeAdapterFile(path('turning'), { ...file, origin: { model: 'words' } })
    await expect(first(path('turning'))).rejects.toThrow('was fitted to embeddings of words')
    const documents = { ids: ['a'], vectors: letter(1) }
    await writeAdapterFile(path('turning'), { ...file, origin: { documents } })
    await expect(first(path('turning'))).rejects.toThrow('was fitted to another corpus or model')
  })

  test('are refused if they do not match', async () => {
    const wrong: [CollectionInputs, string][] = [
      [
        {},
        'exactly one of these is required: a folder of Markdown files, documents in memory, docs',
      ],
      [{ docs, store: 'x' }, 'exactly one of these is required'],
      [{ folder, corpus }, 'leave out corpus'],
      [{ docs: path('none.npy') }, 'none.npy: there is no such file'],
      [{ docs, corpus: path('none.jsonl') }, 'none.jsonl: there is no such file'],
    ]
    for (const [inputs, message] of wrong) {
      await expect(openCollection(inputs)).rejects.toThrow(message)
    }
  })
})

describe('documents of different lengths', () => {
  const query = 'how do insects find flowers'

  test('cause one remark if no metric is set', async () => {
    for (const [metric, times] of [
      ['auto', 1],
      ['dot', 0],
      ['cosine', 0],
    ] as const) {
      const remarks: string[] = []
      const inputs = { folder: path('notes'), cache, settings: { metric } }
      const hooks = { onRemark: (remark: string) => remarks.push(remark) }
      await using collection = await openCollection(inputs, hooks)
      await collection.search(query)
      await collection.search(query)
      expect(remarks).toHaveLength(times)
      if (times)
        expect(remarks[0]).toMatch(/^document vectors differ in length; searching by metric dot/)
    }
  })

  test('are found by the metric that is set, even if the store was loaded for another', async () => {
    const searched: unknown[] = []
    const data = Float32Array.of(3, 3, 1, 0)
    const passages = ['long', 'near'].map((id) => ({ id, text: id }))
    const store = passageStore(passages, { data, rows: 2, dimensions: 2 }, 'dot')
    const encoder = {
      encode: async () => ({ data: Float32Array.of(1, 0.1), rows: 1, dimensions: 2, cut: 0 }),
      close: async () => {},
    } as unknown as Encoder
    const settings = resolveSettings({ metric: 'cosine' })
    const watched: SearchStore = {
      ...store,
      async search(queries, options) {
        const hits = await store.search(queries, options)
        searched.push(hits[0]!.ids)
        return hits
      },
    }
    await new Collection(watched, encoder, settings).search('near')
    expect(searched).toEqual([['near', 'long']])
  })
})

describe('documents found by their words', () => {
  const count = 300
  const vector = (i: number) => Float32Array.of(Math.cos(i / count), Math.sin(i / count))
  const passages = Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    text: i === count - 1 ? 'the zeppelin of the town' : `a balloon over the town, number ${i}`,
  }))
  const data = Float32Array.from(passages.flatMap((_, i) => [...vector(i)]))
  const settings = resolveSettings({ statistics: termStatistics(passages.map(({ text }) => text)) })
  const store = passageStore(passages, { data, rows: count, dimensions: 2 }, 'dot')
  const encoder = {
    encode: async () => ({ data: vector(0), rows: 1, dimensions: 2, cut: 0 }),
    close: async () => {},
  } as unknown as Encoder
  const over = (searched: SearchStore) => new Collection(searched, encoder, settings)

  test('include documents that only the words find', async () => {
    const plain = await over(store).search('zeppelin', { topN: 250 })
    expect(plain).toHaveLength(250)
    expect(plain.map(({ id }) => id)).not.toContain('d299')
    const both = over(await withWords(store, passages, settings))
    const found = await both.search('zeppelin', { topN: 10 })
    expect(found[0]!.id).toBe('d299')
    expect(found[0]!.reasons.matched).toMatchObject([{ term: 'zeppelin' }])
    // The last by similarity of the 200 most similar ones and itself.
    expect(found[0]!.reasons.rankBefore).toBe(201)
  })

  test('are left out if they are deleted, and a document without a text disables the words', async () => {
    const indexed = await withWords(store, passages, settings)
    const gone = over({
      ...indexed,
      fetch: async (ids, options) => {
        const documents = await store.fetch(ids, options)
        return documents.map((document, i) => (ids[i] === 'd299' ? undefined : document))
      },
    })
    expect((await gone.search('zeppelin')).map(({ id }) => id)).not.toContain('d299')
    const bare = over({
      ...indexed,
      fetch: async (ids, options) => {
        const documents = await store.fetch(ids, options)
        return documents.map((one, i) => (one && ids[i] === 'd0' ? { vector: one.vector } : one))
      },
    })
    const [first] = await bare.search('zeppelin', { topN: 1 })
    expect(first!.id).toBe('d0')
    expect(first!.reasons.matched).toEqual([])
  })
})
