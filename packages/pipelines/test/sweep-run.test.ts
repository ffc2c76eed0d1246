import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { rerankRun } from '../src/rerank/rerank-run.ts'
import { sweepRun } from '../src/tune/sweep-run.ts'
import { writeTopics } from './topics.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTopics(folder))

const inputs = () => ({
  run: path('run.trec'),
  queries: path('queries.npy'),
  docs: path('docs.npy'),
  qrels: path('topic.trec'),
  settings: { contextSize: 40 },
})

test('draws every figure', async () => {
  const commands = ['kith sweep --run run.trec']
  const result = await sweepRun({ ...inputs(), commands, out: path('sweep') })
  expect(result.missing).toEqual([])
  expect(result.files).toHaveLength(13)
  const { figures } = JSON.parse(read('sweep/figures.json'))
  expect(figures).toHaveLength(11)
  const [sizes] = figures
  expect(sizes.kind).toBe('context-size')
  expect(sizes.points.map(({ size }: { size: number }) => size)).toEqual([
    5, 7, 10, 15, 20, 30, 40, 50,
  ])
  // What a figure says is what reranking and measuring say.
  const settings = { contextSize: 20 }
  const reranked = await rerankRun({ ...inputs(), settings, out: path('twenty.trec') })
  const measured = reranked.figures!.evaluations.map(({ evaluation }) => evaluation.mean)
  expect(sizes.baseline).toBeCloseTo(measured[0]!['nDCG@10']!, 4)
  expect(sizes.points[4].mean).toBeCloseTo(measured[1]!['nDCG@10']!, 4)
  for (const name of ['context-size', 'time', 'setting-k', 'scores-per-rank', 'label-spread']) {
    expect(read(`sweep/${name}.svg`)).toContain('</svg>')
  }
  expect(read('sweep/index.html')).toContain(commands[0])
})

test('refuses judged documents without an embedding before the work, or counts them', async () => {
  writeFileSync(path('more.trec'), `${read('topic.trec')}q0 0 away 1\n`)
  const more = { ...inputs(), qrels: path('more.trec'), out: path('more') }
  await expect(sweepRun(more)).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('away'),
  })
  expect(existsSync(path('more'))).toBe(false)
  const remarks: string[] = []
  const { missing } = await sweepRun(
    { ...more, missing: 'skip' },
    { onRemark: (remark) => remarks.push(remark) },
  )
  expect(missing).toMatchObject([{ count: 1, first: ['away'] }])
  expect(remarks).toContain('1 judged documents have no embedding: away')
})

test('writes nothing if it is stopped', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const stopped = sweepRun(
    { ...inputs(), out: path('stopped') },
    {
      signal: controller.signal,
      onProgress: ({ done }) => {
        if (done === 3) controller.abort(reason)
      },
    },
  )
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
  expect(existsSync(path('stopped'))).toBe(false)
})
