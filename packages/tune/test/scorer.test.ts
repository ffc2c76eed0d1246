import { evaluate, RunBuilder } from '@kith/ir'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScorer } from '../src/evaluate/collection.ts'

const kinds = ['nDCG', 'RR', 'AP', 'R', 'P', 'Success']
const measures = kinds.flatMap((kind) => [kind, `${kind}@1`, `${kind}@5`, `${kind}@10`])

test('computes every measure as @kith/ir does for the same ranking', () => {
  fc.assert(
    fc.property(
      // Grades of the ranked documents, −2 for those that are not judged, and of some not retrieved.
      fc.array(fc.integer({ min: -2, max: 3 }), { minLength: 1, maxLength: 30 }),
      fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 5 }),
      fc.constantFrom(...measures, 'P(rel=2)@5', 'AP(rel=3)'),
      fc.constantFrom(1, 2),
      fc.boolean(),
      (ranked, others, measure, level, strict) => {
        const judged = new Map<string, number>()
        ranked.forEach((grade, i) => {
          if (grade > -2) judged.set(`d${i}`, grade)
        })
        others.forEach((grade, i) => {
          judged.set(`other${i}`, grade)
        })
        fc.pre(judged.size > 0)
        const run = new RunBuilder()
        run.add({
          query: 'q',
          ids: ranked.map((_, i) => `d${i}`),
          scores: ranked.map((_, i) => -i),
        })
        const options = { level, strict }
        const expected = evaluate(new Map([['q', judged]]), run.finish(), [measure], options)
        const scorer = createScorer({ measure, ...options })
        const ideal = [...judged.values()].filter((grade) => grade >= 0).sort((a, b) => b - a)
        const grades = ranked.slice(0, scorer.depth)
        expect(scorer.score(grades, ideal)).toBe(expected.perQuery[measure]![0])
      },
    ),
    { numRuns: 500 },
  )
})

test('refuses unsupported measures and invalid levels', () => {
  expect(() => createScorer({ measure: 'Bpref' })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('Bpref') }),
  )
  expect(() => createScorer({ measure: 'nonsense' })).toThrow('"nonsense"')
  expect(() => createScorer({ measure: 'P@5', level: 0 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
})
