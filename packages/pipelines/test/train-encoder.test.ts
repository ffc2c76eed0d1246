import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { encodeTexts } from '../src/encode/encode-texts.ts'
import { evaluateRuns } from '../src/eval/evaluate-runs.ts'
import { searchRun } from '../src/search/search-run.ts'
import { trainFromFiles } from '../src/train/train-from-files.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

/** Writes the texts of queries, by number. */
function writeQueries(name: string, text: (i: number) => string): void {
  const lines = Array.from({ length: 48 }, (_, i) =>
    JSON.stringify({ _id: `q${i}`, text: text(i) }),
  )
  writeFileSync(path(name), `${lines.join('\n')}\n`)
}

beforeAll(() => writeQueries('queries.jsonl', (i) => `topic ${i % 8}`))

test('trains a real encoder for two steps, and encodeTexts loads the result', async () => {
  const input = path('queries.jsonl')
  await encodeTexts({ input, out: path('texts.npy') })
  const vectors = { queries: path('texts.npy'), docs: path('texts.npy') }
  await searchRun({ ...vectors, top: 20, out: path('texts.trec') })
  writeFileSync(
    path('texts.qrels'),
    Array.from({ length: 48 }, (_, q) => `q${q} 0 q${(q + 8) % 48} 1\n`).join(''),
  )
  const stages = new Set<string>()
  const { curves, heldOut, keepsOld } = await trainFromFiles(
    {
      docs: path('texts.npy'),
      training: { queries: input, run: path('texts.trec'), qrels: path('texts.qrels') },
      topLayers: 1,
      settings: {
        ...{ steps: 2, batchSize: 8, inverseTemperature: 20 },
        target: { target: 'mixed', contextSize: 10, k: 4 },
      },
      out: path('encoder'),
    },
    { onProgress: ({ stage }) => stages.add(stage) },
  )
  expect(curves).toBeUndefined()
  expect(stages).toEqual(new Set(['training', 'lower layers']))
  await encodeTexts({ model: path('encoder'), input, role: 'query', out: path('trained.npy') })
  expect(readFileSync(path('trained.npy')).length).toBe(readFileSync(path('texts.npy')).length)
  // Where held-out queries do not gain, the folder has the weights from before.
  expect(readFileSync(path('trained.npy')).equals(readFileSync(path('texts.npy')))).toBe(keepsOld)
  expect(keepsOld).toBe(!(heldOut!.measures['nDCG@10']!.difference > 0))
  // The figures after are those of a search with the queries that the result encodes.
  expect(heldOut!.queries).toBe(9)
  const [queries, out] = [path('trained.npy'), path('trained.trec')]
  await searchRun({ queries, docs: path('texts.npy'), top: 48, out })
  const remarks: string[] = []
  const onRemark = (remark: string) => remarks.push(remark)
  const runs = [path('texts.trec'), out]
  const { evaluations } = await evaluateRuns({ qrels: heldOut!.qrels!, runs }, { onRemark })
  const { before, after } = heldOut!.measures['nDCG@10']!
  expect(before).toBeCloseTo(evaluations[0]!.evaluation.mean['nDCG@10']!, 6)
  expect(keepsOld ? before : after).toBeCloseTo(evaluations[1]!.evaluation.mean['nDCG@10']!, 6)
  expect(remarks).toEqual([])
  await evaluateRuns({ qrels: path('texts.qrels'), runs }, { onRemark })
  expect(remarks).toEqual([expect.stringContaining('39 of 48 judged queries were used to train')])
})

test('keeps long queries whole, unless maxTokens truncates them, and counts truncated queries', async () => {
  const long = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ')
  writeQueries('long.jsonl', (i) => (i % 16 === 0 ? `topic ${i % 8} ${long}` : `topic ${i % 8}`))
  const queries = path('long.jsonl')
  await encodeTexts({ input: queries, out: path('long.npy') })
  for (const [name, from, to] of [
    ['first', 0, 24],
    ['rest', 24, 40],
  ] as const) {
    const lines = (text: (i: number) => string) =>
      Array.from({ length: to - from }, (_, i) => `q${from + i} ${text(i)}\n`).join('')
    writeFileSync(
      path(`${name}.trec`),
      lines((i) => `Q0 q${i} 1 1 t`),
    )
    writeFileSync(
      path(`${name}.qrels`),
      lines((i) => `0 q${i + 1} 1`),
    )
  }
  const remarks: string[] = []
  const train = (out: string, maxTokens?: number) =>
    trainFromFiles(
      {
        ...{ docs: path('long.npy'), topLayers: 1, maxTokens, out: path(out) },
        outside: 'inject',
        training: { queries, run: path('first.trec'), qrels: path('first.qrels') },
        validation: { queries, run: path('rest.trec'), qrels: path('rest.qrels') },
        settings: { steps: 1, batchSize: 4 },
      },
      { onRemark: (remark) => remarks.push(remark) },
    )
  expect(await train('whole')).toMatchObject({ cut: { training: 0, validation: 0 } })
  expect(remarks.join()).not.toContain('longer than')
  expect(await train('cut', 32)).toMatchObject({ cut: { training: 2, validation: 1 } })
  expect(remarks).toContain(
    '2 of 24 training queries and 1 of 16 validation queries are truncated to 32 tokens (maxTokens)',
  )
  const validation = (out: string) => read(`${out}/metrics.jsonl`).split('\n')[0]
  expect(validation('cut')).not.toBe(validation('whole'))
  expect(JSON.parse(read('cut.meta.json'))).toMatchObject({
    settings: { model: 'minilm', maxTokens: 32 },
    cut: { training: 2, validation: 1 },
  })
})
