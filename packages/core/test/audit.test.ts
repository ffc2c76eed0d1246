import { describe, expect, test } from 'vitest'
import { auditCandidates } from '../src/index.ts'
import { allKernels, expectClose, random } from './support.ts'

const next = random(11)
/** Thirty candidates of three topics, in turn; the query is of the first. */
const vectorOf = (topic: number): number[] =>
  Array.from({ length: 6 }, (_, j) => (j === topic ? 1 : 0) + (next() - 0.5) * 0.3)
const query = vectorOf(0)
const candidates = Array.from({ length: 30 }, (_, i) => vectorOf(i % 3))

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, j) => sum + value * b[j]!, 0)

/** Mean of z(similarity to the query) + z(similarity to a relevant one), z over the others. */
function jointEvidence(relevant: readonly number[]): number[] {
  const standard = (values: number[]): number[] => {
    const others = values.filter((_, i) => !relevant.includes(i))
    const mean = others.reduce((sum, value) => sum + value, 0) / others.length
    const variance = others.reduce((sum, value) => sum + (value - mean) ** 2, 0) / others.length
    return values.map((value) => (value - mean) / Math.sqrt(variance))
  }
  const toQuery = standard(candidates.map((vector) => dot(query, vector)))
  const toKnown = relevant.map((known) =>
    standard(candidates.map((vector) => dot(candidates[known]!, vector))),
  )
  return toQuery.map((value, i) => {
    return value + toKnown.reduce((sum, similarity) => sum + similarity[i]!, 0) / relevant.length
  })
}

const grades = candidates.map((_, i) => ({ 0: 1, 3: 2, 6: 0, 9: -1, 12: 1, 15: 3 })[i])

describe.each(allKernels)('auditCandidates on %s', (kernel) => {
  test('lists unjudged candidates by joint evidence, with the most similar relevant candidates', () => {
    const findings = auditCandidates(query, candidates, grades, { kernel, metric: 'dot' })
    const relevant = [0, 3, 12, 15]
    const evidence = jointEvidence(relevant)
    const unjudged = candidates.map((_, i) => i).filter((i) => !((grades[i] ?? -1) >= 0))
    const expected = unjudged.sort((a, b) => evidence[b]! - evidence[a]!).slice(0, 10)
    expect(findings.map(({ candidate }) => candidate)).toEqual(expected)
    expectClose(
      findings.map((finding) => finding.evidence),
      expected.map((candidate) => evidence[candidate]!),
      1e-4,
    )
    // The one with a negative grade is of the query's topic and counts as unjudged.
    expect(expected).toContain(9)
    for (const { candidate, relevantNeighbors } of findings) {
      const similarity = (known: number) => dot(candidates[known]!, candidates[candidate]!)
      const best = relevant.toSorted((a, b) => similarity(b) - similarity(a)).slice(0, 3)
      expect(relevantNeighbors.map((neighbor) => neighbor.candidate)).toEqual(best)
      expectClose(
        relevantNeighbors.map((neighbor) => neighbor.similarity),
        best.map(similarity),
        1e-5,
      )
      for (const { jaccard } of relevantNeighbors) expect(jaccard).toBeLessThanOrEqual(1)
    }
    expect(findings[0]!.relevantNeighbors[0]!.jaccard).toBeGreaterThan(0)
  })
})

test('uses level for relevance and perQuery for the length of the list', () => {
  const findings = auditCandidates(query, candidates, grades, { level: 3, perQuery: 2 })
  expect(findings.length).toBe(2)
  for (const { relevantNeighbors } of findings) {
    expect(relevantNeighbors.map(({ candidate }) => candidate)).toEqual([15])
  }
  expect(auditCandidates(query, candidates, grades, { level: 4 })).toEqual([])
})

test('uses words as evidence, and embeddings to find the supporting documents', () => {
  const texts = candidates.map((_, i) => (i === 0 || i === 1 ? 'lighthouse keeper' : `other ${i}`))
  const judged = candidates.map((_, i) => (i === 0 ? 1 : undefined))
  const [plain, worded] = [
    auditCandidates(query, candidates, judged, { perQuery: 30 }),
    auditCandidates({ vector: query, text: 'lighthouse' }, { vectors: candidates, texts }, judged, {
      perQuery: 30,
    }),
  ].map((findings) => findings.find(({ candidate }) => candidate === 1)!)
  expect(worded!.evidence).toBeGreaterThan(plain!.evidence)
  expect(worded!.relevantNeighbors).toEqual(plain!.relevantNeighbors)
})

test('refuses wrong inputs, and names them', () => {
  const call = (given: unknown, settings = {}) =>
    auditCandidates(query, candidates, given as number[], settings)
  expect(() => call([1, 0])).toThrow(/expected 30 grades, .* got 2 grades/)
  expect(() => call(undefined)).toThrow(expect.objectContaining({ code: 'BAD_SHAPE' }))
  expect(() => call(candidates.map(() => 'yes'))).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('"yes"') }),
  )
  expect(() => call(grades, { level: 0 })).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }))
  expect(() => call(grades, { perQuery: 1.5 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
  expect(() => call(grades, { kk: 3 })).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }))
})
