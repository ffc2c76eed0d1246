import { expect, test } from 'vitest'
import { type QuerySources, trainingQueries } from '../src/train/training-queries.ts'

const ids = ['d0', 'd1', 'd2', 'd3']
const grades = (judged: Record<string, number>) => new Map(Object.entries(judged))
const sources: QuerySources = {
  rankings: [
    { query: 'a', ids: ['d2', 'd0'], scores: [2, 1] },
    { query: 'b', ids: ['d1'], scores: [1] },
  ],
  qrels: new Map([
    ['a', grades({ d3: 2, d0: 1, d1: 0 })],
    ['b', grades({ gone: 0 })],
  ]),
  documents: { rowOf: (id) => (ids.includes(id) ? ids.indexOf(id) : undefined) },
  texts: new Map([['a', 'what?']]),
}
const labeled = (docs: string[]) => ({
  query: 'a',
  docs,
  labels: docs.map((_, i) => (i === 0 ? 0.6 : 0.4)),
  evidence: [],
  groundTruth: [],
})

test('turns files with ids into queries with rows', () => {
  // Nothing else is asked of a query without a relevant document: b has no text either.
  const { queries, withoutTruth, report } = trainingQueries(sources)
  expect(withoutTruth).toBe(1)
  expect(report.list()).toEqual([])
  expect(queries).toEqual([
    {
      id: 'a',
      text: 'what?',
      vector: undefined,
      relevant: [3, 0],
      grades: [2, 1],
      retrieved: Uint32Array.of(2, 0),
      labels: undefined,
    },
  ])
  const labels = new Map([['a', labeled(['d1', 'd3'])]])
  expect(trainingQueries({ ...sources, level: 2, labels }).queries[0]).toMatchObject({
    relevant: [3],
    labels: { rows: [1, 3], values: [0.6, 0.4] },
  })
  const read = (from: number) => Float32Array.of(from)
  const vectors = { rowOf: () => 5, read }
  expect(trainingQueries({ ...sources, vectors }).queries[0]!.vector).toEqual(Float32Array.of(5))
})

test('throws for missing data, counts it and names it', () => {
  const failing = (change: Partial<QuerySources>) =>
    expect(() => trainingQueries({ ...sources, ...change }))
  failing({ texts: new Map() }).toThrow('1 queries of the run have no text: a')
  failing({ labels: new Map() }).toThrow('1 queries of the run have no labels')
  const labels = new Map([['a', labeled(['d1', 'd8'])]])
  failing({ labels }).toThrow('1 labeled documents have no embedding: d8')
  const vectors = { rowOf: () => undefined, read: () => new Float32Array() }
  failing({ vectors }).toThrow('1 queries of the run have no embedding: a')
  const rankings = [{ query: 'a', ids: ['d9', 'd1'], scores: [2, 1] }]
  failing({ rankings }).toThrow('1 candidates of the run have no embedding: d9')
  const qrels = new Map([['a', grades({ d0: 1, gone: 1, away: 2 })]])
  failing({ qrels, name: 'training queries' }).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('gone, away') }),
  )
  failing({ level: 3 }).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
})

test('skips missing data on request, or leaves out the query', () => {
  const of = (query: string, docs: string[]) => ({ query, ids: docs, scores: docs.map(() => 0) })
  const { queries, withoutTruth, report } = trainingQueries({
    ...sources,
    missing: 'skip',
    rankings: [
      of('a', ['d9', 'd1', 'd2']),
      of('lost', ['d1']),
      of('mute', ['d1']),
      of('bare', ['d1']),
      of('stray', ['d1']),
    ],
    qrels: new Map([
      ['a', grades({ d0: 1, gone: 1 })],
      ['lost', grades({ gone: 1 })],
      ['mute', grades({ d0: 1 })],
      ['bare', grades({ d0: 1 })],
      ['stray', grades({ d0: 1 })],
    ]),
    texts: new Map(['a', 'bare', 'stray'].map((id) => [id, id])),
    labels: new Map([
      ['a', labeled(['d7', 'd0'])],
      ['mute', labeled(['d0'])],
      ['stray', labeled(['d7'])],
    ]),
  })
  expect(queries).toMatchObject([
    {
      id: 'a',
      relevant: [0],
      retrieved: Uint32Array.of(1, 2),
      labels: { rows: [0], values: [0.4] },
    },
  ])
  expect(withoutTruth).toBe(1)
  expect(report.list().map(({ what, first }) => [what, ...first])).toEqual([
    ['judged documents have no embedding', 'gone'],
    ['candidates of the run have no embedding', 'd9'],
    ['labeled documents have no embedding', 'd7'],
    ['queries of the run have no text', 'mute'],
    ['queries of the run have no labels (were the labels made for this run?)', 'bare'],
    ['queries of the run have no labeled document with an embedding', 'stray'],
  ])
  expect(() => trainingQueries({ ...sources, missing: 'skip', texts: new Map() })).toThrow(
    'none of 2 queries has a relevant document with an embedding and everything else',
  )
})
