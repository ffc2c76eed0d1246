import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveSettings } from '@kith/core/internal'
import { readRun, writeEmbeddings } from '@kith/ir'
import { openSearchStore, withStatistics } from '@kith/stores/internal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import { openCollectionWith } from '../src/collection/open-collection.ts'
import type { NamedEncoder } from '../src/encode/encode-texts.ts'
import { labelRun } from '../src/labels/label-run.ts'
import { loadStore } from '../src/load/load-store.ts'
import { rerankRun } from '../src/rerank/rerank-run.ts'
import { collectTermStatistics } from '../src/terms/collect-term-statistics.ts'
import { tryDataset } from '../src/try/try-dataset.ts'

/** Documents whose embeddings are all equally near to the query: only the words can tell them apart. */
const examples = {
  german: {
    query: 'Wann schliessen die Museen in Muenchen?',
    documents: [
      'Der Bäcker in der Altstadt verkauft schon am frühen Morgen Brot und Kuchen.',
      'Auf dem Bahnhof wartet eine lange Schlange, weil der Zug nach Wien ausfällt.',
      'Das Museum am Münchner Marktplatz schließt um sechs, die Museumskasse eine Stunde früher.',
    ],
  },
  japanese: {
    query: '図書館は何時に閉まりますか',
    documents: [
      '駅前のパン屋は朝早くから焼きたてのパンを売っている。',
      '電車が止まったので、ホームには長い列ができている。',
      '市の図書館は午後六時に閉まり、月曜日は休みである。',
    ],
  },
}

const folder = mkdtempSync(join(tmpdir(), 'kith-languages-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

const database = emptyDatabase()

/** An encoder to which all queries are the same. */
const encoder = {
  encoder: {
    name: 'same',
    dimensions: 3,
    encode: async () => ({ data: Float32Array.of(1, 0, 0), rows: 1, dimensions: 3 }),
    close: async () => {},
  },
  model: {},
} as unknown as NamedEncoder

describe.each(Object.keys(examples) as (keyof typeof examples)[])('%s texts', (language) => {
  const { query, documents } = examples[language]
  const files = {
    corpus: at(`${language}.corpus.jsonl`),
    queryText: at(`${language}.queries.jsonl`),
    docs: at(`${language}.docs.npy`),
    queries: at(`${language}.queries.npy`),
    run: at(`${language}.run.trec`),
    out: at(`${language}.out.trec`),
  }
  const ids = documents.map((_, i) => `d${i}`)
  const lines = (entries: object[]): string =>
    `${entries.map((one) => JSON.stringify(one)).join('\n')}\n`
  /** The best document of the new run, and the tokenizer that its sidecar names. */
  const result = async () => {
    const run = await readRun(files.out)
    const { settings } = JSON.parse(readFileSync(`${files.out}.meta.json`, 'utf8'))
    return { best: run.get('q')!.ids[0], tokenizer: settings.tokenizer }
  }

  beforeAll(async () => {
    writeFileSync(files.corpus, lines(documents.map((text, i) => ({ _id: ids[i], text }))))
    writeFileSync(files.queryText, lines([{ _id: 'q', text: query }]))
    const vectors = [
      [1, 0.1, 0],
      [1, 0, 0.1],
      [1, -0.1, 0],
    ]
    const rows = vectors.map((vector) => Float32Array.from(vector))
    await writeEmbeddings(files.docs, { dimensions: 3, ids }, rows)
    await writeEmbeddings(files.queries, { dimensions: 3, ids: ['q'] }, [Float32Array.of(1, 0, 0)])
    writeFileSync(files.run, ids.map((id, i) => `q Q0 ${id} ${i + 1} 1 run`).join('\n'))
  })

  test('finds the tokenizer of a corpus with auto, and reports it', async () => {
    const remarks: string[] = []
    await rerankRun(
      { ...files, settings: { tokenizer: 'auto' } },
      { onRemark: (remark) => remarks.push(remark) },
    )
    expect(remarks).toContain(`tokenizer: ${language}, by the texts of the corpus`)
    expect(await result()).toEqual({ best: 'd2', tokenizer: language })
  })

  test('reads the tokenizer of the texts from a statistics file', async () => {
    const file = at(`${language}.terms.bin`)
    const { tokenizer } = await collectTermStatistics({
      corpus: files.corpus,
      out: file,
      tokenizer: 'auto',
    })
    expect(tokenizer).toBe(language)
    await rerankRun({ ...files, statistics: { file } })
    expect(await result()).toEqual({ best: 'd2', tokenizer: language })
    const remarks: string[] = []
    await rerankRun(
      { ...files, statistics: { file }, settings: { tokenizer: 'auto' } },
      { onRemark: (remark) => remarks.push(remark) },
    )
    expect(remarks).toContain(`tokenizer: ${language}, by the term statistics in ${file}`)
    await expect(
      rerankRun({ ...files, statistics: { file }, settings: { tokenizer: 'french' } }),
    ).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(`'${language}'`),
    })
  })

  test('uses the tokenizer of the store in a server and a collection', async () => {
    const store = await openSearchStore(files.docs, { corpus: files.corpus, tokenizer: 'auto' })
    try {
      const { statistics } = await withStatistics(resolveSettings(), store)
      expect(statistics?.tokenizer).toBe(language)
    } finally {
      await store.close()
    }
  })

  test('kith try finds the tokenizer that fits the dataset, and follows term statistics', async () => {
    const dataset = at(`${language}-dataset`)
    mkdirSync(dataset)
    const { corpus } = files
    copyFileSync(corpus, join(dataset, 'corpus.jsonl'))
    for (const name of [
      'queries.jsonl',
      'docs.npy',
      'docs.ids.txt',
      'queries.npy',
      'queries.ids.txt',
    ]) {
      copyFileSync(at(`${language}.${name}`), join(dataset, name))
    }
    await tryDataset({ dataset })
    const kept = (name: string): string => join(dataset, '.kith', name)
    const tokenizers = () =>
      ['bm25.trec', 'own/try/fusion.trec', 'own/try/kith.trec'].map(
        (name) => JSON.parse(readFileSync(`${kept(name)}.meta.json`, 'utf8')).settings.tokenizer,
      )
    expect(tokenizers()).toEqual([language, language, language])
    const found = await readRun(kept('bm25.trec'))
    expect(found.get('q')!.ids[0]).toBe('d2')
    await collectTermStatistics({ corpus, out: kept('terms.bin'), tokenizer: 'none' })
    await tryDataset({ dataset })
    expect(tokenizers()).toEqual(['none', 'none', 'none'])
    // Statistics of a corpus that changed are made again by their tokenizer.
    writeFileSync(join(dataset, 'corpus.jsonl'), `${readFileSync(corpus, 'utf8')}\n`)
    await tryDataset({ dataset })
    expect(tokenizers()).toEqual(['none', 'none', 'none'])
  })

  describe.each(['LanceDB', 'PostgreSQL'])('in the store %s', (kind) => {
    const store = (): string =>
      kind === 'LanceDB' ? at(`lance#${language}`) : `${database.url}#${language}`
    const { queries, queryText, run, out } = files
    const inputs = { queries, queryText, run, out }

    test.skipIf(kind === 'PostgreSQL' && !postgres)(
      'every reader uses the tokenizer of the store, and refuses another',
      async () => {
        const remarks: string[] = []
        const hooks = { onRemark: (remark: string) => remarks.push(remark) }
        const load = { store: store(), docs: files.docs, corpus: files.corpus, index: true }
        await loadStore({ ...load, tokenizer: 'auto' }, hooks)
        expect(remarks).toContain(`tokenizer: ${language}, by the texts of the corpus`)
        // Loaded again without a name, or by `auto`, the store keeps its tokenizer.
        await loadStore(load)
        await loadStore({ ...load, tokenizer: 'auto' }, hooks)
        expect(remarks).toContain(`tokenizer: ${language}, as the store was loaded before`)

        await rerankRun({ ...inputs, store: store() })
        expect(await result()).toEqual({ best: 'd2', tokenizer: language })
        await rerankRun({ ...inputs, store: store(), settings: { tokenizer: 'auto' } }, hooks)
        expect(remarks).toContain(`tokenizer: ${language}, by the term statistics of the store`)
        const refused = `counted with tokenizer '${language}', but this call uses 'french'`
        const french = { settings: { tokenizer: 'french' } } as const
        await expect(rerankRun({ ...inputs, ...french, store: store() })).rejects.toThrow(refused)

        const loaded = remarks.length
        const open = (settings?: object) =>
          openCollectionWith(async () => encoder, { store: store(), settings }, hooks)
        const collection = await open()
        const problem = expect.stringContaining("cannot search the terms of tokenizer 'japanese'")
        const problems = kind === 'PostgreSQL' && language === 'japanese' ? [problem] : []
        expect(remarks.slice(loaded)).toEqual(problems)
        expect(remarks.slice(0, loaded)).toEqual(expect.arrayContaining(problems))
        expect((await collection.search(query))[0]!.id).toBe('d2')
        await collection.close()
        await expect(open(french.settings)).rejects.toThrow(refused)

        writeFileSync(at('qrels.trec'), 'q 0 d2 1\n')
        const labels = { out: at(`${language}-${kind}.jsonl`), qrels: at('qrels.trec') }
        await labelRun({ ...inputs, ...labels, store: store() })
        const made = JSON.parse(readFileSync(`${labels.out}.meta.json`, 'utf8'))
        expect(made.settings.tokenizer).toBe(language)
      },
    )
  })
})

test('loadStore refuses a tokenizer without texts', async () => {
  const docs = at('german.docs.npy')
  const load = loadStore({ store: at('bare'), docs, tokenizer: 'german' })
  await expect(load).rejects.toMatchObject({ code: 'BAD_SETTING' })
})
