import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { judged, queries, writeJudged } from '../../pipelines/test/label-data.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')
beforeAll(() => writeJudged(folder))

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy')],
  ...['--docs', path('docs.npy'), '--qrels', path('qrels.trec')],
]
const labels = (out: string, ...more: string[]): string =>
  succeed('labels', ...inputs(), '--out', path(out), ...more)

describe('kith labels', () => {
  test('prints a readable summary, or JSON', () => {
    const printed = labels('labels.jsonl', '--set', 'contextSize=20', '--set', 'labelDepth=5')
    expect(printed).toMatch(/labels.jsonl:\nqueries with labels +1080\n/)
    expect(printed).toMatch(/left out: no ground truth +120\n/)
    expect(printed).toMatch(/mean probability on ground truth +0\.\d{4}/)
    expect(printed).toMatch(/documents with 90 % of a label +\d\.\d\d on average/)
    expect(printed).toMatch(/ground truth not ranked first +\d+ \(\d+\.\d %\)/)
    const options = ['--set', 'contextSize=1', '--set', 'k=1', '--json']
    const json = JSON.parse(labels('narrow.jsonl', ...options))
    expect(json).toMatchObject({
      ...{ out: path('narrow.jsonl'), position: queries, queries: judged.once - judged.twice },
      leftOut: { 'more ground truth than contextSize': judged.twice },
    })
    expect(Object.keys(json)).not.toContain('missing')
    const audited = succeed('audit', ...inputs(), ...options.slice(0, 4), '--out', path('a.tsv'))
    expect(audited).toContain('155 queries left out: more ground truth than contextSize')
  })

  test('names wrong inputs, and reports what was left out', () => {
    const fails = (...more: string[]) => kith('labels', ...inputs(), '--out', path('x'), ...more)
    expect(fails('--format', 'listwise')).toMatchObject({
      code: 2,
      err: expect.stringContaining('the format listwise needs texts'),
    })
    expect(fails('--shard', '4/3')).toMatchObject({ code: 2 })
    expect(fails('--format', 'listwise:odds')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--format takes probability or logit after the colon'),
    })
    expect(fails('--format', 'jsonl:logit')).toMatchObject({ code: 2 })
    writeFileSync(path('foreign.trec'), 'q0 Q0 nowhere 1 5 t\nq1 Q0 d1 1 5 t\n')
    const foreign = (...more: string[]) => fails('--run', path('foreign.trec'), ...more)
    const refused = foreign()
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(
      /foreign\.trec:1: query q0: 1 candidates of the run have no embedding in .*docs\.npy: nowhere/,
    )
    const skipped = foreign('--missing', 'skip')
    expect(skipped.out).toMatch(/queries with labels +2\n/)
    expect(skipped.err).toContain('1 candidates of the run have no embedding: nowhere\n')
  })
})

describe('kith labels merge', () => {
  test('merges shards, and refuses other files', () => {
    labels('whole.jsonl')
    const shares = [1, 2].map((i) => {
      labels(`share${i}.jsonl`, '--shard', `${i}/2`)
      return path(`share${i}.jsonl`)
    })
    const merge = (...files: string[]) =>
      kith('labels', 'merge', ...files, '--out', path('merged.jsonl'))
    const merged = merge(...shares.toReversed())
    expect(merged.out).toMatch(/merged.jsonl: 2 shards\nqueries with labels +1080\n/)
    expect(read('merged.jsonl')).toBe(read('whole.jsonl'))
    const refused = merge(shares[0]!)
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(/^kith: .*queries 601 to 1200 are in no shard\n$/)
    expect(merge()).toMatchObject({ code: 2 })
  })
})
