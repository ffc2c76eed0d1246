import { expect, test } from 'vitest'
import { type QuerySources, trainingQueries } from '../src/index.ts'

const ids = ['d0', 'd1', 'd2', 'd3']
const sources: QuerySources = {
  rankings: [
    { query: 'a', ids: ['d2', 'd0'], scores: [2, 1] },
    { query: 'b', ids: ['d1'], scores: [1] },
  ],
  qrels: new Map([
    [
      'a',
      new Map([
        ['d3', 2],
        ['d0', 1],
        ['gone', 2],
        ['d1', 0],
      ]),
    ],
    ['b', new Map([['gone', 1]])],
  ]),
  documents: { rowOf: (id) => (ids.includes(id) ? ids.indexOf(id) : undefined) },
  texts: new Map([['a', 'what?']]),
}

test('files that go by ids become queries that go by rows', () => {
  const { queries, withoutTruth } = trainingQueries(sources)
  expect(withoutTruth).toBe(1)
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
  const entry = {
    query: 'a',
    docs: ['d1', 'd3'],
    labels: [0.6, 0.4],
    evidence: [],
    groundTruth: [],
  }
  const labelled = trainingQueries({ ...sources, level: 2, labels: new Map([['a', entry]]) })
  expect(labelled.queries[0]).toMatchObject({
    relevant: [3],
    labels: { rows: [1, 3], values: [0.6, 0.4] },
  })
  const read = (from: number) => Float32Array.of(from)
  const vectors = { rowOf: () => 5, read }
  expect(trainingQueries({ ...sources, vectors }).queries[0]!.vector).toEqual(Float32Array.of(5))
})

test('what does not fit together is named', () => {
  const failing = (change: Partial<QuerySources>) =>
    expect(() => trainingQueries({ ...sources, ...change }))
  failing({ texts: new Map() }).toThrow('query a is in the run, but has no text')
  failing({ labels: new Map() }).toThrow('query a is in the run, but not in the labels')
  const vectors = { rowOf: () => undefined, read: () => new Float32Array() }
  failing({ vectors }).toThrow('query a is in the run, but has no embedding')
  failing({ level: 3 }).toThrow('none of 2 queries has a relevant document with an embedding')
  const rankings = [{ query: 'a', ids: ['d9'], scores: [1] }]
  failing({ rankings }).toThrow('query a has document d9, which has no embedding')
})
