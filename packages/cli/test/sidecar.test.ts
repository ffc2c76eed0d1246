import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { writeSmallModel } from '../../../test/faults/small-model.mjs'
import { temporaryFolder } from '../../../test/files.ts'
import { writeTopics } from '../../pipelines/test/topics.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTopics(folder))

const files = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy'), '--docs', path('docs.npy')],
]

test('shows the settings of the run on its page, not the settings of an earlier run', () => {
  succeed('rerank', ...files(), '--set', 'lambda=0.123', '--out', path('better.trec'))
  const report = () =>
    kith(
      ...['report', '--qrels', path('topic.trec'), '--run', path('run.trec')],
      ...['--run', path('better.trec'), '--out', path('report.html')],
    )
  expect(report()).toMatchObject({ code: 0, err: '' })
  expect(read('report.html')).toContain('<dt>lambda</dt><dd>0.123</dd>')
  expect(read('report.html')).not.toContain('<dt>bm25Weight</dt>')
  expect(read('report.html')).toContain(`<p class="collection">${basename(folder)}</p>`)
  // As if another run had got its name, and the program had been killed before it wrote its own.
  appendFileSync(path('better.trec'), 'q0 Q0 other 99 -9 kith\n')
  const later = report()
  expect(later.code).toBe(0)
  expect(later.err).toMatch(
    /ignoring .*better.trec.meta.json: \d+ bytes are recorded, the file has/,
  )
  expect(read('report.html')).not.toContain('0.123')
})

test('keeps the metadata of every kind of output when a command fails', () => {
  writeFileSync(path('texts.jsonl'), '{"_id":"a","text":"one"}\n{"_id":"b","text":"two"}\n')
  const model = writeSmallModel(path('model'))
  const commands: [out: string, works: string[], fails: string[]][] = [
    ['better.trec', ['rerank', ...files()], ['rerank', ...files(), '--queries', path('docs.npy')]],
    [
      'tuned.json',
      ['tune', ...files(), '--qrels', path('topic.trec')],
      ['tune', ...files(), '--qrels', path('topic.trec'), '--measure', 'cosiness'],
    ],
    [
      'copy.jsonl',
      ['convert', '--kind', 'texts', '--in', path('texts.jsonl')],
      ['convert', '--kind', 'texts', '--in', path('queries.npy')],
    ],
    [
      'texts.npy',
      ['encode', '--model', model, '--input', path('texts.jsonl')],
      ['encode', '--model', model, '--input', path('broken.jsonl')],
    ],
  ]
  writeFileSync(path('broken.jsonl'), '{"_id":"a","text":"one"}\n{"_id":"b","text":')
  for (const [out, works, fails] of commands) {
    succeed(...works, '--out', path(out))
    const before = [readFileSync(path(out)), read(`${out}.meta.json`)]
    expect(kith(...fails, '--out', path(out)).code).toBeGreaterThan(0)
    expect(existsSync(path(`${out}.meta.json`)), out).toBe(true)
    expect([readFileSync(path(out)), read(`${out}.meta.json`)]).toEqual(before)
  }
})
