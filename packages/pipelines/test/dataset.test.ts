import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { openDataset } from '../src/dataset/dataset.ts'
import { chooseSplit, findFile, splitsOf } from '../src/dataset/find-files.ts'

const folder = temporaryFolder()
const cisi = sharedCollection('cisi')

/** A dataset with empty files of some names. */
function datasetOf(name: string, ...files: string[]): string {
  const at = join(folder, name)
  for (const file of files) {
    mkdirSync(join(at, file, '..'), { recursive: true })
    writeFileSync(join(at, file), '')
  }
  return at
}

/** A copy of CISI with its embeddings, as a dataset that came with them. */
function copyCisi(name: string): string {
  const at = join(folder, name)
  mkdirSync(join(at, 'qrels'), { recursive: true })
  for (const file of ['corpus.jsonl', 'queries.jsonl', 'qrels/test.tsv']) {
    cpSync(join(cisi!, file), join(at, file))
  }
  for (const file of ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt']) {
    cpSync(join(cisi!, 'embeddings/all-MiniLM-L6-v2', file), join(at, file))
  }
  return at
}

describe('files of a dataset', () => {
  test('are found by the names of BEIR, MS MARCO and TREC', () => {
    const beir = datasetOf(
      'beir',
      'corpus.jsonl',
      'queries.jsonl',
      'qrels/test.tsv',
      'qrels/train.tsv',
    )
    expect(splitsOf(beir)).toEqual(['test', 'train'])
    expect(findFile(beir, 'qrels', 'train')).toBe(join(beir, 'qrels/train.tsv'))
    expect(findFile(beir, 'queries', 'train')).toBe(join(beir, 'queries.jsonl'))
    const marco = datasetOf(
      'marco',
      ...['collection.tsv', 'queries.train.tsv', 'queries.dev.small.tsv'],
      ...['qrels.train.tsv', 'qrels.dev.small.tsv'],
    )
    expect(splitsOf(marco)).toEqual(['dev.small', 'train'])
    expect(findFile(marco, 'corpus', undefined)).toBe(join(marco, 'collection.tsv'))
    expect(findFile(marco, 'queries', 'dev.small')).toBe(join(marco, 'queries.dev.small.tsv'))
    const trec = datasetOf('trec', 'corpus.trec', 'topics.txt', 'qrels.txt')
    expect(splitsOf(trec)).toEqual([])
    expect(findFile(trec, 'qrels', undefined)).toBe(join(trec, 'qrels.txt'))
    expect(findFile(trec, 'queries', undefined)).toBe(join(trec, 'topics.txt'))
  })

  test('come from the split that fits the purpose, or from the named split', () => {
    const all = ['dev.small', 'test', 'train']
    expect(chooseSplit('x', all, 'measure', undefined)).toBe('test')
    expect(chooseSplit('x', all, 'tune', undefined)).toBe('dev.small')
    expect(chooseSplit('x', all, 'train', undefined)).toBe('train')
    expect(chooseSplit('x', ['train'], 'measure', undefined)).toBe('train')
    expect(chooseSplit('x', all, 'measure', 'train')).toBe('train')
    expect(() => chooseSplit('x', all, 'measure', 'tset')).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('"tset"') }),
    )
  })

  test('of a split with its own queries are kept apart', () => {
    const at = datasetOf(
      'own',
      'corpus.jsonl',
      'queries.jsonl',
      'queries.train.jsonl',
      'qrels/train.tsv',
      'qrels/test.tsv',
    )
    const train = openDataset(at, { purpose: 'train' })
    expect(train.place('run')).toBe(join(at, '.kith/minilm/run.train.trec'))
    expect(openDataset(at).place('run')).toBe(join(at, '.kith/minilm/run.trec'))
  })

  test('that a model learns from are named by their split, with a warning if it is the test split', () => {
    const remarksOf = (at: string, options: Parameters<typeof openDataset>[1]) => {
      const remarks: string[] = []
      openDataset(at, options).remarkSplit({ onRemark: (remark) => void remarks.push(remark) })
      return remarks
    }
    const texts = ['corpus.jsonl', 'queries.jsonl']
    const one = datasetOf('only-test', ...texts, 'qrels/test.tsv')
    const using = 'using the judgments of split test (qrels/test.tsv)'
    const warning =
      'split test is for measuring: measure a model that learns from it on other queries'
    expect(remarksOf(one, { purpose: 'train' })).toEqual([
      `${using}; there is no other split`,
      warning,
    ])
    expect(remarksOf(one, { purpose: 'measure' })).toEqual([])
    const two = datasetOf('train-test', ...texts, 'qrels/test.tsv', 'qrels/train.tsv')
    expect(remarksOf(two, { purpose: 'train' })).toEqual([
      'using the judgments of split train (qrels/train.tsv); other splits: test',
    ])
    expect(remarksOf(two, { purpose: 'train', split: 'test' })).toEqual([
      `${using}; other splits: train`,
      warning,
    ])
    const none = datasetOf('no-split', ...texts, 'qrels.tsv')
    expect(remarksOf(none, { purpose: 'train' })).toEqual([])
  })

  test('that are missing are named with the places where they are expected', async () => {
    const at = datasetOf('empty', 'queries.jsonl')
    const dataset = openDataset(at)
    expect(await dataset.need('run')).toBeUndefined()
    expect(dataset.lacking('run')).toBe('texts of the documents (corpus.jsonl, …)')
    expect(() => openDataset(join(at, 'queries.jsonl'))).toThrow(
      expect.objectContaining({ code: 'BAD_FILE' }),
    )
  })

  test('needs the name of one model if there are several', () => {
    const at = datasetOf('models', 'corpus.jsonl', '.kith/minilm/docs.npy', '.kith/bge/docs.npy')
    expect(() => openDataset(at).model).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('minilm') }),
    )
    expect(openDataset(at, { model: 'bge' }).model).toBe('bge')
  })

  test('names the folder that cannot be written, and says what to do', () => {
    const at = datasetOf('blocked', 'corpus.jsonl', '.kith')
    expect(() => openDataset(at).place('run')).toThrow(
      expect.objectContaining({ code: 'BAD_FILE', message: expect.stringContaining('.kith') }),
    )
  })
})

describe.skipIf(!cisi)('files that Kith makes in a dataset', () => {
  test('are reused while their inputs stay the same, and made again with their settings otherwise', async () => {
    const at = copyCisi('stale')
    const remarks: string[] = []
    const hooks = { onRemark: (remark: string) => void remarks.push(remark) }
    const need = () => openDataset(at).need('run', hooks)
    const run = (await need())!
    expect(run).toBe(join(at, '.kith/own/run.trec'))
    const { searchRun } = await import('../src/search/search-run.ts')
    const embeddings = { queries: join(at, 'queries.npy'), docs: join(at, 'docs.npy') }
    await searchRun({ ...embeddings, out: run, top: 7 })
    const before = readFileSync(run, 'utf8')
    expect(before.trimEnd().split('\n')).toHaveLength(76 * 7)
    await need()
    expect(remarks).toEqual([])
    expect(await openDataset(at).find('run')).toBe(run)

    const later = new Date(Date.now() + 5000)
    utimesSync(join(at, 'queries.npy'), later, later)
    expect(await openDataset(at).find('run')).toBeUndefined()
    await need()
    expect(remarks).toEqual([
      expect.stringMatching(
        /run\.trec is out of date \(.*queries\.npy has changed\); making it again/,
      ),
    ])
    expect(readFileSync(run, 'utf8')).toBe(before)
  })

  test('are stale if they were made from other inputs than the named ones', async () => {
    const at = copyCisi('named')
    await openDataset(at).need('run')
    const other = join(folder, 'docs.npy')
    cpSync(join(at, 'docs.npy'), other)
    cpSync(join(at, 'docs.ids.txt'), join(folder, 'docs.ids.txt'))
    const named = openDataset(at, { files: { documentEmbeddings: other } })
    expect(await named.find('run')).toBeUndefined()
    expect(await openDataset(at).find('run')).toBeDefined()
  })

  test('stay fresh if inputs are named by a relative path or through a link', async () => {
    const at = copyCisi('spelled')
    const outside = copyCisi('outside')
    const docs = join(outside, 'docs.npy')
    const find = (file: string, dataset = at) =>
      openDataset(dataset, { files: { documentEmbeddings: file } }).find('run')
    const run = await openDataset(at, { files: { documentEmbeddings: docs } }).need('run')
    expect(run).toBe(join(at, '.kith/own/run.trec'))
    const here = relative(process.cwd(), docs)
    expect(await find(here)).toBe(run)
    symlinkSync(outside, join(folder, 'outside-link'))
    expect(await find(join(folder, 'outside-link/docs.npy'))).toBe(run)
    expect(await find(here, relative(process.cwd(), at))).toBe(relative(process.cwd(), run!))
    expect(await find(join(copyCisi('copy'), 'docs.npy'))).toBeUndefined()
  })

  test('stay fresh if the folder is moved', async () => {
    const at = copyCisi('here')
    await openDataset(at).need('run')
    const moved = join(folder, 'there')
    cpSync(at, moved, { recursive: true, preserveTimestamps: true })
    expect(await openDataset(moved).find('run')).toBe(join(moved, '.kith/own/run.trec'))
    expect(existsSync(join(moved, '.kith/own/run.trec.meta.json'))).toBe(true)
  })
})
