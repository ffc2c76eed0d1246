import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { tryDataset } from '../src/try/try-dataset.ts'

const TOPICS = 8
const ids = (count: number, letter: string) =>
  Array.from({ length: count }, (_, i) => `${letter}${i}`)

/** A dataset whose queries are turned against their documents; the last 60 queries are the split test. */
async function writeDataset(training: number): Promise<string> {
  const folder = join(temporaryFolder(), `with-${training}`)
  mkdirSync(join(folder, 'qrels'), { recursive: true })
  const path = (name: string): string => join(folder, name)
  const vector = (i: number, turn: number) => {
    const values = Array.from(
      { length: TOPICS },
      (_, j) => (j === i % TOPICS ? 1 : 0) + Math.sin(i * 5 + j * 3) * 0.1,
    )
    const length = Math.hypot(...values)
    return Float32Array.from(values, (_, j) => values[(j + turn) % TOPICS]! / length)
  }
  const queries = ids(training + 60, 'q')
  const rows = (count: number, turn: number) =>
    Array.from({ length: count }, (_, i) => vector(i, turn))
  const head = (of: readonly string[]) => ({ dimensions: TOPICS, ids: of })
  await writeEmbeddings(path('docs.npy'), head(ids(80, 'd')), rows(80, 0))
  await writeEmbeddings(path('queries.npy'), head(queries), rows(queries.length, 1))
  const texts = (of: readonly string[], text: (i: number) => string) =>
    of.map((_id, i) => `${JSON.stringify({ _id, text: text(i) })}\n`).join('')
  writeFileSync(
    path('corpus.jsonl'),
    texts(ids(80, 'd'), (i) => `page ${i} of the book`),
  )
  writeFileSync(
    path('queries.jsonl'),
    texts(queries, () => 'which book'),
  )
  const judged = (of: readonly string[]) =>
    of.map((id) => `${id}\td${Number(id.slice(1)) % TOPICS}\t1\n`).join('')
  const table = 'query-id\tcorpus-id\tscore\n'
  writeFileSync(path('qrels/train.tsv'), table + judged(queries.slice(0, training)))
  writeFileSync(path('qrels/test.tsv'), table + judged(queries.slice(training)))
  return folder
}

const figure = (result: Awaited<ReturnType<typeof tryDataset>>, role: string) =>
  result.systems.find((system) => system.role === role)?.evaluation?.mean['nDCG@10']

test('adds a row for a query adapter with 200 training queries, and fits it only once', async () => {
  const dataset = await writeDataset(200)
  const first = await tryDataset({ dataset, trials: 1, workers: 1 })
  expect(first.split).toBe('test')
  expect(first.adapter).toMatchObject({ queries: 200, keepsOld: false })
  expect(first.adapter!.heldOut).toMatchObject({ queries: 40, by: 'judgments' })
  expect(figure(first, 'adaptedKith')).toBeGreaterThan(figure(first, 'kith')! + 0.1)
  const made = statSync(join(first.adapter!.folder, 'adapter.safetensors')).mtimeMs
  const second = await tryDataset({ dataset, trials: 1, workers: 1 })
  expect(second.adapter).toEqual(first.adapter)
  expect(figure(second, 'adaptedKith')).toBe(figure(first, 'adaptedKith'))
  expect(statSync(join(first.adapter!.folder, 'adapter.safetensors')).mtimeMs).toBe(made)
})

test('fits by Kith’s ranking if queries have no judgments, but not with fewer than 200 queries', async () => {
  const dataset = await writeDataset(205)
  rmSync(join(dataset, 'qrels/train.tsv'))
  const { adapter } = await tryDataset({ dataset, trials: 1, workers: 1 })
  expect(adapter).toMatchObject({ queries: 205, recipe: 'ranking', heldOut: { by: 'teacher' } })
  const few = await tryDataset({ dataset: await writeDataset(199), trials: 1, workers: 1 })
  expect(few.adapter).toBeUndefined()
  expect(figure(few, 'adaptedKith')).toBeUndefined()
})
