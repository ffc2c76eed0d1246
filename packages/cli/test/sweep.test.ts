import { copyFileSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { writeTopics } from '../../pipelines/test/topics.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTopics(folder))

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy'), '--docs', path('docs.npy')],
  ...['--qrels', path('topic.trec')],
]

test('kith sweep draws every figure, and kith report includes them', () => {
  const out = succeed('sweep', ...inputs(), '--set', 'contextSize=40', '--out', path('sweep'))
  expect(out).toContain('index.html: 11 figures')
  expect(read('sweep/index.html')).toContain('kith sweep --run')
  copyFileSync(path('run.trec'), path('again.trec'))
  const runs = ['--run', path('run.trec'), '--run', path('again.trec')]
  succeed(
    ...['report', '--qrels', path('topic.trec'), ...runs],
    ...['--figures', path('sweep/figures.json'), '--out', path('report.html')],
  )
  expect(read('report.html')).toContain('nDCG@10 by lambda')
  // Pages show no absolute paths; from this folder the command on them works as it stands.
  for (const page of ['sweep/index.html', 'report.html']) {
    expect(read(page).split(`..${folder}`).join('')).not.toContain(folder)
  }
  const shown = relative(process.cwd(), path('run.trec'))
  expect(read('report.html')).toContain(`<code>${shown}</code>`)
  expect(read('report.html')).toContain(` --run ${shown} `)
})

test('names wrong inputs', () => {
  const sweep = (...more: string[]) => kith('sweep', ...inputs(), '--out', path('x'), ...more)
  expect(sweep('--missing', 'perhaps').code).toBe(2)
  expect(sweep('--set', 'k=0').code).toBe(2)
  expect(sweep('--run', path('none.trec')).code).toBe(1)
})
