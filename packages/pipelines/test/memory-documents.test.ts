import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { openCollectionWith } from '../src/collection/open-collection.ts'
import { readFolder } from '../src/collection/read-folder.ts'
import type { NamedEncoder } from '../src/encode/encode-texts.ts'

/** An encoder that counts letters, and is there at once. */
async function openLetters(): Promise<NamedEncoder> {
  const dimensions = 26
  const vector = (text: string): Float32Array => {
    const data = new Float32Array(dimensions)
    for (const letter of text.toLowerCase().match(/[a-z]/g) ?? []) {
      data[letter.charCodeAt(0) - 97]! += 1 / text.length
    }
    return data
  }
  const one = (text: string) => ({ data: vector(text), rows: 1, dimensions, cut: 0 })
  const encoder: NamedEncoder['encoder'] = {
    ...{ name: 'letters', dimensions, maxTokens: 99 },
    source: { files: [], pooling: undefined, normalize: false },
    async *encodeStream(texts) {
      for await (const text of texts) yield one(text)
    },
    encode: async ([text]) => one(text!),
    close: async () => {},
  }
  return { encoder, model: { model: 'letters' } }
}

const documents = Array.from({ length: 1200 }, (_, i) => ({
  id: `d${i}`,
  title: i % 2 ? 'Wasps' : 'Bees',
  text: `find flowers ${'abcdefghijklmnopqrstuvwxyz'.slice(0, i % 26)} ${i}`,
  metadata: { year: 2000 + (i % 300) },
}))

test('finds documents in memory with their metadata', async () => {
  await using collection = await openCollectionWith(openLetters, { documents }, {})
  const found = await collection.search('bees find flowers 17', { topN: 20 })
  expect(found).toHaveLength(20)
  for (const { id, text, metadata } of found) {
    const { text: own, metadata: same } = documents[Number(id.slice(1))]!
    expect([text, metadata]).toEqual([own, same])
  }
  expect(await collection.document('d7')).toEqual(documents[7])
})

describe('documents longer than a passage', () => {
  const filler = 'Sailors mend sails in the harbor. '.repeat(30).trim()
  const parts = [filler, `${filler} A zzz jazz buzz.`, filler]
  const long = { id: 'long', title: 'Harbor', text: parts.join('\n\n'), metadata: 1 }
  // The id that a second passage might get.
  const taken = { id: 'long\u00001', text: 'tar' }

  test('are found once, by their best passage, and returned whole by their id', async () => {
    const given = { documents: [...documents.slice(0, 30), long, taken] }
    await using collection = await openCollectionWith(openLetters, given, {})
    const found = await collection.search('jazz buzz zzz', { topN: 32 })
    expect(found[0]).toMatchObject({ id: 'long', title: 'Harbor', text: parts[1], metadata: 1 })
    expect(found[0]!.reasons.matched.map(({ term }) => term)).toContain('jazz')
    const ids = given.documents.map(({ id }) => id)
    expect(found.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(await collection.document('long')).toEqual(long)
    expect(await collection.document('long\u00001')).toEqual(taken)
    expect(await collection.document('long\u00002')).toBeUndefined()
  })

  test('leave room for other documents, and are filtered by their whole text', async () => {
    const book = { id: 'book', text: Array(1500).fill(filler).join('\n\n') }
    const given = { documents: [book, ...documents.slice(0, 30), long] }
    await using collection = await openCollectionWith(openLetters, given, {})
    const found = await collection.search(filler, { topN: 12 })
    expect(found).toHaveLength(12)
    expect(new Set(found.map(({ id }) => id)).size).toBe(12)
    const filter = ({ id, text }: { id: string; text?: string | undefined }) =>
      id === 'long' && text === long.text
    const [only, ...others] = await collection.search(filler, { filter })
    expect([only!.id, others]).toEqual(['long', []])
    expect(parts).toContain(only!.text)
  })
})

test('fulfills a filter with all results, however rare the documents are', async () => {
  await using collection = await openCollectionWith(openLetters, { documents }, {})
  const filter = ({ metadata }: { metadata?: unknown }) =>
    (metadata as { year: number }).year === 2299
  const found = await collection.search('bees find flowers', { filter })
  expect(found.map(({ id }) => id).sort()).toEqual(['d1199', 'd299', 'd599', 'd899'])
  expect(await collection.search('bees', { filter: () => false })).toEqual([])
  const titled = await collection.search('bees', { filter: ({ title }) => title === 'Wasps' })
  expect(new Set(titled.map(({ title }) => title))).toEqual(new Set(['Wasps']))
})

test.each([
  [{ documents, foldr: 'x' }, 'unknown option "foldr", did you mean folder?'],
  [{ documents, folder: 'x' }, 'exactly one of these is required'],
  [{ documents, corpus: 'x' }, 'corpus'],
  [{ documents, cache: 'x' }, 'cache'],
  [{ documents: [] }, 'documents must have at least one document'],
  [{ documents: [{ id: 'a' }] }, 'documents[0].text'],
  [{ documents: [documents[0], documents[0]] }, 'documents[1].id "d0"'],
])('refuses wrong inputs (%#)', async (inputs, message) => {
  await expect(openCollectionWith(openLetters, inputs as object, {})).rejects.toThrow(message)
})

test('refuses unknown options of a search', async () => {
  await using collection = await openCollectionWith(openLetters, { documents }, {})
  const wrong = { top: 3 } as object
  await expect(collection.search('bees', wrong)).rejects.toMatchObject({
    code: 'BAD_SETTING',
    message: expect.stringContaining('"top"'),
  })
})

test('ignores headings in text files, and leaves out front matter except for its title', async () => {
  const folder = join(temporaryFolder(), 'notes')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.txt'), '# not a heading\n---\ntitle: no\n---\n```\n')
  const matter = '---\ntitle: "My bees"\ntags: [secret]\n---\n'
  writeFileSync(join(folder, 'b.md'), `${matter}Before.\n\n# Hives\n\nOf wood.\n`)
  writeFileSync(join(folder, 'c.md'), '---\r\ntitle: Hives\r\n---\r\n# Hives\r\nOf straw.\r\n')
  writeFileSync(join(folder, 'd.md'), 'A rule\n---\ntitle: text\n---\n')
  writeFileSync(join(folder, 'e.md'), '---\ntags: x\n---\nNo title.')
  expect(await readFolder(folder, {})).toEqual([
    { id: 'a.txt:1', title: 'a.txt', text: '# not a heading\n---\ntitle: no\n---\n```' },
    { id: 'b.md:5', title: 'My bees', text: 'Before.' },
    { id: 'b.md:9', title: 'My bees › Hives', text: 'Of wood.' },
    { id: 'c.md:5', title: 'Hives', text: 'Of straw.' },
    { id: 'd.md:1', title: 'd.md', text: 'A rule\n---\ntitle: text\n---' },
    { id: 'e.md:4', title: 'e.md', text: 'No title.' },
  ])
})

test('caches the words of a corpus until the corpus changes', async () => {
  const place = temporaryFolder()
  const [docs, corpus, cache] = ['docs.npy', 'corpus.jsonl', 'cache'].map((name) =>
    join(place, name),
  ) as [string, string, string]
  const { encoder } = await openLetters()
  const ids = documents.map(({ id }) => id)
  const rows = documents.map((_, i) =>
    Float32Array.from({ length: 26 }, (_, j) => (i === 99 ? 1 : Math.sin(i + j))),
  )
  await writeEmbeddings(docs, { dimensions: encoder.dimensions, ids }, rows)
  const write = (last: string) => {
    const texts = documents.map(({ id, text }, i) => ({ _id: id, text: i === 99 ? last : text }))
    writeFileSync(corpus, texts.map((one) => `${JSON.stringify(one)}\n`).join(''))
  }
  const found = async (query: string) => {
    await using collection = await openCollectionWith(openLetters, { docs, corpus, cache }, {})
    const hits = await collection.search(query, { topN: 20 })
    return hits.map(({ id, score, text }) => ({ id, score, text }))
  }
  write('a platypus')
  const first = await found('platypus')
  expect(first.map(({ id }) => id)).toContain('d99')
  const [kept] = readdirSync(cache)
  const bytes = readFileSync(join(cache, kept!))
  expect(await found('platypus')).toEqual(first)
  expect(readdirSync(cache)).toEqual([kept])
  // A damaged index is made again.
  writeFileSync(join(cache, kept!), 'damaged')
  expect(await found('platypus')).toEqual(first)
  expect(readFileSync(join(cache, kept!))).toEqual(bytes)
  write('an echidna, and no other')
  expect((await found('echidna')).map(({ id }) => id)).toContain('d99')
  expect(await found('platypus')).not.toEqual(first)
  // Another tokenizer has an index of its own.
  const other = { docs, corpus, cache, settings: { tokenizer: 'none' } } as const
  await (await openCollectionWith(openLetters, other, {})).close()
  expect(readdirSync(cache)).toHaveLength(2)
})
