import { type Evaluation, evaluate, RunBuilder } from '@kith/ir'
import { expect, test } from 'vitest'
import { compareToFirst } from '../src/eval/evaluate-runs.ts'
import { judgeTried, type TriedSystem } from '../src/try/verdict.ts'

/** Figures of queries whose relevant document has a rank each. */
function figuresOf(ranks: readonly number[]): Evaluation {
  const builder = new RunBuilder()
  const qrels = new Map<string, Map<string, number>>()
  ranks.forEach((rank, query) => {
    const ids = Array.from({ length: 10 }, (_, i) => (i + 1 === rank ? 'good' : `d${i}`))
    builder.add({ query: `q${query}`, ids, scores: ids.map((_, i) => -i) })
    qrels.set(`q${query}`, new Map([['good', 1]]))
  })
  return evaluate(qrels, builder.finish(), ['MRR@10'])
}

function systemsOf(ranks: Partial<Record<TriedSystem['role'], number[]>>): TriedSystem[] {
  const named = Object.entries(ranks).map(([name, list]) => ({ name, evaluation: figuresOf(list) }))
  const comparisons = compareToFirst(named)
  return named.map(({ name, evaluation }) => ({
    ...{ name, role: name as TriedSystem['role'], file: name, evaluation },
    comparison: comparisons.get(name),
  }))
}

const all = (rank: number, count = 60): number[] => Array.from({ length: count }, () => rank)

test('advises the default settings after a significant gain', () => {
  const { sentence, settings } = judgeTried(systemsOf({ run: all(2), kith: all(1) }), undefined, '')
  expect(sentence).toBe('Kith improves MRR@10 by 0.500 (p < 0.001); use the default settings')
  expect(settings).toBe('default')
})

test('advises vector search after a significant loss, or without a difference', () => {
  const worse = judgeTried(systemsOf({ run: all(1), kith: all(2) }), undefined, '')
  expect(worse.sentence).toBe('Kith worsens MRR@10 by 0.500 (p < 0.001); keep vector search')
  expect(worse.settings).toBeUndefined()
  const same = judgeTried(systemsOf({ run: all(1), kith: all(1) }), undefined, '')
  expect(same.sentence).toMatch(/does not measurably change MRR@10 .*; keep vector search$/)
})

test('gives no advice with few queries and no clear difference', () => {
  const { sentence } = judgeTried(systemsOf({ run: [2, 1, 1], kith: [1, 1, 1] }), undefined, '')
  expect(sentence).toMatch(/; 3 judged queries are too few to tell$/)
})

test('names a better alternative', () => {
  const systems = systemsOf({ run: all(4), rrf: all(1), kith: all(2) })
  expect(judgeTried(systems, undefined, '').sentence).toContain(
    '(rrf is higher here: 1.0000 against 0.5000)',
  )
})

test('advises tuned settings only if tuning found them better', () => {
  const systems = systemsOf({ run: all(4), kith: all(2), tunedKith: all(1) })
  const tuned = (verdict: 'default' | 'tuned') => ({ verdict }) as never
  expect(judgeTried(systems, tuned('tuned'), 'x/tuned.json')).toMatchObject({
    settings: 'tuned',
    sentence: 'Kith improves MRR@10 by 0.750 (p < 0.001); use the settings in x/tuned.json',
  })
  expect(judgeTried(systems, tuned('default'), 'x/tuned.json').settings).toBe('default')
})
