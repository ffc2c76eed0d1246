import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'
import { writeTopics } from './topics.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTopics(folder))

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy'), '--docs', path('docs.npy')],
]

describe('kith tune', () => {
  test('with few judged queries it decides between the default and nothing', () => {
    const printed = succeed(
      'tune',
      ...[...inputs(), '--qrels', path('topic.trec'), '--out', path('tuned.json')],
    )
    expect(printed).toMatch(/verdict default/)
    expect(printed).toMatch(/held-out gain over the old ranking: \+0\.\d{4} nDCG@10/)
    succeed('rerank', ...inputs(), '--settings', path('tuned.json'), '--out', path('by-file.trec'))
    succeed('rerank', ...inputs(), '--out', path('by-default.trec'))
    expect(read('by-file.trec')).toBe(read('by-default.trec'))
    expect(
      kith('rerank', ...inputs(), '--settings', path('tuned.json'), '--k', '5', '--out', path('x')),
    ).toMatchObject({ code: 2, err: expect.stringContaining('leave out --k') })
  })

  test('where reranking hurts, it says so, and the run stays what it is', () => {
    succeed('tune', ...inputs(), '--qrels', path('as-it-is.trec'), '--out', path('keep.json'))
    expect(JSON.parse(read('keep.json')).verdict).toBe('keep-run')
    const rerank = ['rerank', ...inputs(), '--settings', path('keep.json'), '--out']
    expect(succeed(...rerank, path('kept.trec'))).toMatch(/the old ranking, unchanged\. .*--force/)
    const order = (name: string) => read(name).replace(/(\S+ Q0 \S+) .*/g, '$1')
    expect(order('kept.trec')).toBe(order('run.trec'))
    succeed(...rerank, path('forced.trec'), '--force')
    expect(order('forced.trec')).not.toBe(order('run.trec'))
  })

  test('says what is wrong', () => {
    writeFileSync(path('not-tuned.json'), '{}')
    const settings = ['--settings', path('not-tuned.json'), '--out', path('x')]
    expect(kith('rerank', ...inputs(), ...settings).err).toMatch(/not made by kith tune/)
    const tune = (...more: string[]) =>
      kith('tune', ...inputs(), '--qrels', path('topic.trec'), '--out', path('x'), ...more)
    expect(tune('--measure', 'nonsense')).toMatchObject({ code: expect.any(Number) })
    expect(tune('--measure', 'nonsense').err).toMatch(/nonsense/)
    expect(tune('--folds', '1').code).toBe(2)
    expect(existsSync(path('x'))).toBe(false)
  })
})

test('Cranfield: a search that any number of workers, and a stop, leave the same', () => {
  const cranfield = sharedCollection('cranfield')
  if (!cranfield) return
  const model = join(cranfield, 'embeddings/all-MiniLM-L6-v2')
  const run = (out: string, ...more: string[]) =>
    succeed(
      ...['tune', '--run', join(model, 'top200.run.trec'), '--docs', join(model, 'docs.npy')],
      ...['--queries', join(model, 'queries.npy'), '--qrels', join(cranfield, 'qrels/test.trec')],
      ...['--out', path(out), '--folds', '3', ...more],
    )
  run('two.json', '--trials', '16', '--workers', '2')
  expect(JSON.parse(read('two.json'))).toMatchObject({ queries: 225, trials: 16, folds: 3 })
  run('one.json', '--trials', '16', '--workers', '1')
  expect(read('one.json')).toBe(read('two.json'))
  // A study that has eight trials goes on with eight more.
  run('part.json', '--trials', '8')
  run('part.json', '--trials', '16')
  expect(read('part.json')).toBe(read('two.json'))
})
