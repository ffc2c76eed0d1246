import { describe, expect, test } from 'vitest'
import { evaluate } from '../src/index.ts'
import { formatFigure, parseMeasure } from '../src/measures/measures.ts'
import { qrelsOf, runOf } from './support.ts'

/** One query, documents a, b, c, ... retrieved in this order. */
function one(retrieved: string, judged: Record<string, number>, measures: string[], options = {}) {
  const scores = Object.fromEntries([...retrieved].map((id, i) => [id, -i]))
  return evaluate(qrelsOf({ q: judged }), runOf({ q: scores }), measures, options).mean
}

describe('parseMeasure', () => {
  test('accepts the names of ir_measures, common names, and the names of trec_eval', () => {
    const same: [string, object][] = [
      ['nDCG@10', { kind: 'nDCG', cutoff: 10 }],
      ['ndcg_cut_10', { kind: 'nDCG', cutoff: 10 }],
      ['NDCG', { kind: 'nDCG', cutoff: undefined }],
      ['MRR@10', { kind: 'RR', cutoff: 10 }],
      ['recip_rank', { kind: 'RR', cutoff: undefined }],
      ['MAP@10', { kind: 'AP', cutoff: 10 }],
      ['map_cut_5', { kind: 'AP', cutoff: 5 }],
      ['Recall@10', { kind: 'R', cutoff: 10 }],
      ['R@10', { kind: 'R', cutoff: 10 }],
      ['P(rel=2)@10', { kind: 'P', cutoff: 10, level: 2 }],
      ['P_5', { kind: 'P', cutoff: 5 }],
      ['Success@5', { kind: 'Success', cutoff: 5 }],
      ['bpref', { kind: 'Bpref', cutoff: undefined }],
      ['Judged@10', { kind: 'Judged', cutoff: 10 }],
    ]
    for (const [name, expected] of same) expect(parseMeasure(name)).toMatchObject(expected)
  })

  test.for([
    ['nDCGG@10', /use one of nDCG/],
    ['nDCG@0', /at least 1/],
    ['P(rel=0)@5', /at least 1/],
    ['Rprec@5', /no cutoff/],
    ['nDCG(rel=2)@5', /no level/],
    ['', /known/],
    ['nDCG@ten', /known/],
  ] as const)('refuses %s', ([name, message]) => {
    expect(() => parseMeasure(name)).toThrow(message)
  })
})

describe('measures computed by hand', () => {
  test('computes nDCG as the grade over log2(rank + 1), against the best order', () => {
    const value = one('abc', { a: 1, b: 0, c: 3 }, ['nDCG@3', 'nDCG@1', 'nDCG'])
    const best = 3 + 1 / Math.log2(3)
    expect(value['nDCG@3']).toBeCloseTo((1 + 3 / 2) / best, 12)
    expect(value['nDCG@1']).toBeCloseTo(1 / 3, 12)
    expect(value['nDCG']).toBe(value['nDCG@3'])
  })

  test('gains the grade itself for grades above 3', () => {
    const value = one('ab', { a: 5, b: 10 }, ['nDCG'])['nDCG']
    expect(value).toBeCloseTo((5 + 10 / Math.log2(3)) / (10 + 5 / Math.log2(3)), 12)
  })

  test('computes AP, P, R, RR, Success and Rprec', () => {
    const judged = { b: 1, d: 2, x: 1, a: 0 }
    const names = ['AP', 'AP@3', 'P@2', 'P@10', 'P', 'R@2', 'R', 'RR', 'RR@1', 'Rprec']
    expect(one('abcd', judged, names)).toEqual({
      AP: (1 / 2 + 2 / 4) / 3,
      'AP@3': 1 / 2 / 3,
      'P@2': 1 / 2,
      'P@10': 2 / 10,
      P: 2 / 4,
      'R@2': 1 / 3,
      R: 2 / 3,
      RR: 1 / 2,
      'RR@1': 0,
      Rprec: 1 / 3,
    })
    expect(one('abcd', judged, ['Success@1', 'Success@2', 'RR(rel=2)', 'P(rel=2)@4'])).toEqual({
      'Success@1': 0,
      'Success@2': 1,
      'RR(rel=2)': 1 / 4,
      'P(rel=2)@4': 1 / 4,
    })
  })

  test('counts only judged documents in Bpref', () => {
    // b has one judged non-relevant document before it, of min(2 relevant, 1 non-relevant).
    expect(one('axb', { a: 0, b: 1, c: 1 }, ['Bpref'])['Bpref']).toBe(0)
    expect(one('xba', { a: 0, b: 1, c: 1 }, ['Bpref'])['Bpref']).toBe(1 / 2)
    expect(one('abc', { a: 0, z: 0, b: 1, c: 1 }, ['Bpref'])['Bpref']).toBe(1 / 2)
  })

  test('computes Judged over the retrieved documents if they are fewer than the cutoff', () => {
    expect(one('axb', { a: 0, b: 1 }, ['Judged@2', 'Judged@10', 'Judged'])).toEqual({
      'Judged@2': 1 / 2,
      'Judged@10': 2 / 3,
      Judged: 2 / 3,
    })
  })

  test('treats a negative grade as unjudged', () => {
    const judged = { a: -1, b: 1, c: -2 }
    const value = one('abc', judged, ['nDCG', 'Bpref', 'P@1', 'R'])
    expect(value).toEqual({ nDCG: 1 / Math.log2(3), Bpref: 1, 'P@1': 0, R: 1 })
    expect(one('abc', { a: -1 }, ['nDCG', 'AP', 'Bpref', 'R', 'Rprec'])).toEqual({
      nDCG: 0,
      AP: 0,
      Bpref: 0,
      R: 0,
      Rprec: 0,
    })
  })

  test('counts gains by level and strict', () => {
    const judged = { a: 1, b: 2 }
    expect(one('ab', judged, ['RR', 'nDCG'], { level: 2 })['RR']).toBe(1 / 2)
    expect(one('ab', judged, ['nDCG'], { level: 2, strict: true })['nDCG']).toBe(1 / Math.log2(3))
    expect(one('ab', judged, ['nDCG'], { level: 2 })['nDCG']).not.toBe(1 / Math.log2(3))
  })

  test('ranks ties by the larger id, compared as bytes, in any given order', () => {
    const qrels = qrelsOf({ q: { '9': 1 } })
    const run = runOf({ q: { '10': 1, '9': 1, Z: 0.5 } })
    expect(run.get('q')!.ids).toEqual(['9', '10', 'Z'])
    expect(evaluate(qrels, run, ['RR']).mean['RR']).toBe(1)
    // In UTF-16, U+FFFF would come after the two halves of U+10000; in bytes it comes before.
    expect(runOf({ q: { '\uffff': 1, '\u{10000}': 1 } }).get('q')!.ids[0]).toBe('\u{10000}')
  })

  test('compares scores as doubles', () => {
    const run = runOf({ q: { a: 1 + 2 ** -40, b: 1 } })
    expect(run.get('q')!.ids).toEqual(['a', 'b'])
  })
})

test('ranks scores that differ beyond single precision by document, as trec_eval does', () => {
  const qrels = qrelsOf({ q: { b: 1 } })
  const mean = (scores: Record<string, number>) =>
    evaluate(qrels, runOf({ q: scores }), ['MRR']).mean['MRR']
  expect(mean({ a: 0.5 + 1e-9, b: 0.5, c: 0.25 })).toBe(1)
  expect(mean({ a: 0.5 + 1e-6, b: 0.5, c: 0.25 })).toBe(0.5)
})

describe('queries in only one of run and qrels', () => {
  const qrels = qrelsOf({ one: { a: 1 }, two: { a: 1 }, ten: { a: 1 } })
  const run = runOf({ two: { a: 1 }, one: { b: 2, a: 1 }, other: { a: 1 } })

  test('are left out, or count as 0 with complete', () => {
    const shared = evaluate(qrels, run, ['RR'])
    expect(shared.queries).toEqual(['one', 'two'])
    expect(shared.mean['RR']).toBe(0.75)
    const complete = evaluate(qrels, run, ['RR'], { complete: true })
    expect(complete.queries).toEqual(['one', 'ten', 'two'])
    expect([...complete.perQuery['RR']!]).toEqual([0.5, 0, 1])
    expect(complete.mean['RR']).toBe(0.5)
  })

  test('throws if run and qrels share no query, and names a query of each', () => {
    expect(() => evaluate(qrels, runOf({ q7: { a: 1 } }), ['RR'])).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('q7') }),
    )
  })
})

test('rounds figures as C prints them', () => {
  expect([0.03125, 0.09375, 0.00005, 0.5, 1, -0.03125].map((x) => formatFigure(x))).toEqual([
    '0.0312',
    '0.0938',
    '0.0001',
    '0.5000',
    '1.0000',
    '-0.0312',
  ])
  expect([0.5, 1.5, 2.5].map((x) => formatFigure(x, 0))).toEqual(['0', '2', '2'])
})
