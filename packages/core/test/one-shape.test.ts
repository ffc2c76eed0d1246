import { expect, test } from 'vitest'
import {
  explain,
  neighbors,
  prepareText,
  Reranker,
  rerank,
  similarity,
  smoothLabels,
} from '../src/index.ts'
import { makeContext } from './contexts.ts'
import { splitContext } from './support.ts'

const { query, candidates } = splitContext(makeContext('clustered', 31, 12, { seed: 8 }))
const settings = { k: 6, contextSize: 100 }

test('similarity returns the scores that rerank sorts by', () => {
  const { order, scores } = rerank(query, candidates, settings)
  const [own] = similarity(query, candidates, ['query'], settings)
  expect(own!.mixed.toCandidates.length).toBe(candidates.rows)
  order.forEach((candidate, place) => {
    expect(own!.mixed.toCandidates[candidate]).toBe(scores[place])
  })
})

test('similarity returns the probes in the given order', () => {
  const raw = { ...settings, mix: 'raw' } as const
  const [third, own, first] = similarity(query, candidates, [2, 'query', 0], raw)
  // S and s_J are symmetric but for rounding.
  expect(third!.geometric.toQuery).toBeCloseTo(own!.geometric.toCandidates[2]!, 5)
  expect(first!.geometric.toCandidates[2]).toBeCloseTo(third!.geometric.toCandidates[0]!, 5)
  expect(first!.jaccard.toQuery).toBeCloseTo(own!.jaccard.toCandidates[0]!, 5)
  expect(own!.jaccard.toQuery).toBeCloseTo(1, 5)
  expect(third!.jaccard.toCandidates[2]).toBeCloseTo(1, 5)
})

test('neighbors calls the query by its name, and counts candidates from 0', () => {
  const found = neighbors(query, candidates, settings)
  expect(found.candidates.length).toBe(candidates.rows)
  const [own] = similarity(query, candidates, ['query'], settings)
  const { toQuery, toCandidates } = own!.geometric
  const nearest = Array.from(toCandidates.keys()).sort(
    (a, b) => toCandidates[b]! - toCandidates[a]!,
  )
  const members = found.query.nearest.filter((member) => member !== 'query')
  expect(members).toEqual(nearest.slice(0, members.length))
  expect(toQuery).toBeGreaterThan(0)
  for (const member of found.query.reciprocal) {
    const its = member === 'query' ? found.query : found.candidates[member]!
    expect(its.reciprocal).toContain('query')
    expect(its.nearest).toContain('query')
  }
})

test('explain returns supporting neighbors that neighbors() returns too', () => {
  const plain = { ...settings, kExp: 1 }
  const found = neighbors(query, candidates, settings)
  const { order } = rerank(query, candidates, plain)
  const best = order[0]!
  const { shared } = explain(query, candidates, best, plain)
  expect(shared.length).toBeGreaterThan(0)
  for (const { member } of shared) {
    expect(found.query.reciprocal).toContain(member)
    expect(found.candidates[best]!.reciprocal).toContain(member)
  }
})

test('smoothLabels counts candidates from 0', () => {
  const { kept, target, evidence } = smoothLabels(
    query,
    candidates,
    { candidates: [4] },
    { target: 'one-hot' },
  )
  expect([...kept]).toEqual([4])
  expect([...target]).toEqual([1])
  expect(evidence.indexOf(1)).toBe(4)
})

// V8 compiles code again that meets another shape: each thread of a run pays for it.
test('rankings, their metrics and prepared texts have the same properties for any input', () => {
  const vectors = [
    [1, 0],
    [0, 1],
    [0.6, 0.8],
  ]
  const texts = ['wing', 'flutter', 'tail']
  const rankings = [
    rerank([1, 0], vectors),
    rerank(
      [1, 0],
      [
        [2, 0],
        [0, 3],
        [1, 1],
      ],
    ),
    rerank({ vector: [1, 0], text: 'wing' }, { vectors, texts }, { contextSize: 2, preselect: 3 }),
    rerank({ text: 'wing' }, { texts }),
  ]
  for (const ranking of rankings) {
    expect(Object.keys(ranking)).toEqual(['order', 'scores', 'metric', 'similarities'])
    if (ranking.metric) expect(Object.keys(ranking.metric)).toEqual(['name', 'unit', 'agreement'])
  }
  const prepared = [
    prepareText('wing'),
    prepareText({ title: 'wing', text: 'flutter' }),
    prepareText('wing', { positions: false }),
  ]
  for (const text of prepared) {
    expect(Object.keys(text)).toEqual(['postings', 'positions', 'titleTerms', 'tokenizer'])
  }
})

// The engine computes in the same arrays again.
test('results stay as they are when the next call computes', () => {
  const reranker = new Reranker(settings)
  const results = () => [
    reranker.rerank(query, candidates),
    reranker.similarity(query, candidates, ['query', 3]),
    reranker.explain(query, candidates, 2),
    reranker.smoothLabels(query, candidates, { candidates: [0] }),
  ]
  const first = results()
  const before = structuredClone(first)
  const { data } = candidates
  const others = { ...candidates, data: data.map((value) => -value) }
  reranker.rerank(query, others)
  reranker.similarity(query, others, ['query', 3])
  expect(first).toEqual(before)
  expect(results()).toEqual(before)
})

test('every function returns an empty result for a query without candidates', () => {
  expect(rerank([1, 2], []).order.length).toBe(0)
  expect(neighbors([1, 2], [])).toEqual({
    query: { nearest: ['query'], reciprocal: ['query'] },
    candidates: [],
  })
  expect(similarity([1, 2], [], ['query'])[0]!.geometric.toCandidates.length).toBe(0)
})

test('Reranker uses its own method unless a call passes another', () => {
  const reranker = new Reranker({ method: 'rocchio', feedbackDocs: 2 })
  expect(reranker.rerank(query, candidates)).toEqual(
    rerank(query, candidates, { method: 'rocchio', feedbackDocs: 2 }),
  )
  expect(reranker.rerank(query, candidates, { method: 'neighbors' })).toEqual(
    rerank(query, candidates),
  )
})
