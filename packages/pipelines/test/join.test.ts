import { expect, test } from 'vitest'
import { Join } from '../src/join/join.ts'
import { MissingReport } from '../src/join/missing.ts'

const known = (...ids: string[]) => ({
  rowOf: (id: string) => (ids.includes(id) ? ids.indexOf(id) : undefined),
})

test('replaces missing candidates by later ones only with missing: skip', () => {
  const candidates = ['a', 'lost', 'b', 'far']
  const docs = known('a', 'b')
  const skipping = new Join({ docs }, 'skip')
  expect(skipping.candidates(candidates, 2)).toEqual({ rows: [0, 1], places: [0, 2] })
  // What is behind the context has not been fetched from a store, and must not be called missing.
  const strict = new Join({ docs }, 'error')
  strict.candidates(candidates, 2)
  expect(strict.report.list()).toEqual([
    { what: 'candidates of the run have no embedding', count: 1, first: ['lost'] },
  ])
  expect(() => strict.check('query q: ')).toThrow(
    "query q: 1 candidates of the run have no embedding: lost; pass missing: 'skip' to leave them out",
  )
})

test('counts an id once when reports are merged', () => {
  const [whole, part, other] = [new MissingReport(), new MissingReport(), new MissingReport()]
  for (const id of ['a', 'b', 'c', 'd']) part.add('documents have no text', id)
  for (const id of ['d', 'e']) other.add('documents have no text', id)
  other.add('queries have no text', 'q')
  for (const report of [part, other]) whole.addAll(report.all())
  expect(whole.list()).toEqual([
    { what: 'documents have no text', count: 5, first: ['a', 'b', 'c'] },
    { what: 'queries have no text', count: 1, first: ['q'] },
  ])
  expect(whole.remarks()[0]).toBe('5 documents have no text: a, b, c, …')
})
