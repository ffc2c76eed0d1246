import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { succeed } from './support.ts'
import { writeTopics } from './topics.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTopics(folder))

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy'), '--docs', path('docs.npy')],
]

test('kith sweep draws every figure, and kith report takes them', () => {
  const swept = path('sweep')
  const out = succeed(
    ...['sweep', ...inputs(), '--qrels', path('topic.trec'), '--context', '40', '--out', swept],
  )
  expect(out).toContain('index.html: 11 figures')
  const { figures } = JSON.parse(read('sweep/figures.json'))
  const [sizes] = figures
  expect(sizes.kind).toBe('context-size')
  expect(sizes.points.map(({ size }: { size: number }) => size)).toEqual([
    5, 7, 10, 15, 20, 30, 40, 50,
  ])
  // What a figure says is what reranking and measuring say.
  succeed(...['rerank', ...inputs(), '--context', '20', '--out', path('twenty.trec'), '--quiet'])
  const measured = JSON.parse(
    succeed(
      'eval',
      '--qrels',
      path('topic.trec'),
      '--run',
      path('run.trec'),
      '--run',
      path('twenty.trec'),
      '--json',
    ),
  ).runs.map(({ measures }: { measures: Record<string, number> }) => measures['nDCG@10'])
  expect(sizes.baseline).toBeCloseTo(measured[0], 4)
  expect(sizes.points[4].mean).toBeCloseTo(measured[1], 4)
  for (const name of ['context-size', 'time', 'setting-k', 'scores-per-rank', 'label-spread']) {
    expect(read(`sweep/${name}.svg`)).toContain('</svg>')
  }
  expect(read('sweep/index.html')).toContain('kith sweep --run')
  succeed(
    ...[
      'report',
      '--qrels',
      path('topic.trec'),
      '--run',
      path('run.trec'),
      '--run',
      path('twenty.trec'),
    ],
    ...['--figures', path('sweep/figures.json'), '--out', path('report.html')],
  )
  expect(read('report.html')).toContain('nDCG@10 by lambda')
})
