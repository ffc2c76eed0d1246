import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { writeTopics } from '../../pipelines/test/topics.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTopics(folder))

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy'), '--docs', path('docs.npy')],
]

describe('kith tune', () => {
  test('prints the verdict, and kith rerank --settings applies it', () => {
    const tune = ['tune', ...inputs(), '--qrels', path('topic.trec'), '--out', path('tuned.json')]
    const printed = succeed(...tune)
    expect(printed).toMatch(/verdict default/)
    expect(printed).toMatch(/held-out gain over the original ranking: \+0\.\d{4} nDCG@10/)
    expect(JSON.parse(succeed(...tune, '--json'))).toEqual(
      // The file says what it is besides.
      expect.objectContaining({ verdict: JSON.parse(read('tuned.json')).verdict }),
    )
    succeed('rerank', ...inputs(), '--settings', path('tuned.json'), '--out', path('by-file.trec'))
    succeed('rerank', ...inputs(), '--out', path('by-default.trec'))
    expect(read('by-file.trec')).toBe(read('by-default.trec'))
    expect(
      kith(
        'rerank',
        ...inputs(),
        '--settings',
        path('tuned.json'),
        '--set',
        'k=5',
        '--out',
        path('x'),
      ),
    ).toMatchObject({ code: 2, err: expect.stringContaining('leave out --set') })
    // Settings of the list are no settings of the ranking, and go with it.
    const tuned = ['--settings', path('tuned.json'), '--set', 'collapse=0.9']
    succeed('rerank', ...inputs(), ...tuned, '--out', path('list-by-file.trec'))
    const own = ['--set', 'collapse=0.9', '--out', path('list.trec')]
    expect(succeed('rerank', ...inputs(), ...own)).toMatch(/\n\d+ documents folded into a higher/)
    expect(read('list-by-file.trec')).toBe(read('list.trec'))
  })

  test('advises against reranking that hurts, and kith rerank then keeps the run unless forced', () => {
    succeed('tune', ...inputs(), '--qrels', path('as-it-is.trec'), '--out', path('keep.json'))
    const rerank = ['rerank', ...inputs(), '--settings', path('keep.json'), '--out']
    expect(succeed(...rerank, path('kept.trec'))).toMatch(
      /the original ranking, unchanged\. .*--force/,
    )
    expect(succeed(...rerank, path('forced.trec'), '--force')).toMatch(/20 queries reranked/)
    expect(kith(...rerank, path('x'), '--set', 'collapse=0.9').err).toContain(
      'kith tune advises against reranking; leave out collapse, or pass',
    )
  })

  test('names wrong inputs', () => {
    writeFileSync(path('not-tuned.json'), '{"kith":"labels"}')
    const settings = ['--settings', path('not-tuned.json'), '--out', path('x')]
    expect(kith('rerank', ...inputs(), ...settings).err).toMatch(/not made by kith tune/)
    const tune = (...more: string[]) =>
      kith('tune', ...inputs(), '--qrels', path('topic.trec'), '--out', path('x'), ...more)
    expect(tune('--measure', 'nonsense').err).toMatch(/nonsense/)
    expect(tune('--folds', '1').code).toBe(2)
    expect(tune('--methods', 'fusion')).toMatchObject({
      code: 2,
      err: expect.stringContaining('fusion needs texts'),
    })
    expect(tune('--qrels', path('run.trec')).code).toBe(1)
    expect(existsSync(path('x'))).toBe(false)
  })
})
