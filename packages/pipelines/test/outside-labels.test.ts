import type { TrainingQuery } from '@kith/train'
import { expect, test } from 'vitest'
import { outsideRemark, treatOutside } from '../src/train/training-queries.ts'

const none = { labels: 0, outside: 0, queries: 0, candidates: 0 }
const query = (id: string, more: Partial<TrainingQuery>): TrainingQuery => ({
  id,
  relevant: [],
  retrieved: [1, 2, 3, 4],
  ...more,
})
const queries = [
  query('inside', { relevant: [2], grades: [1] }),
  query('half', { relevant: [9, 3], grades: [2, 1] }),
  query('beyond', { relevant: [4], grades: [1] }),
  query('labeled', { relevant: [9], labels: { rows: [1, 8, 2], values: [0.5, 0.3, 0.2] } }),
]

test('counts labels outside the candidates, and drops them with queries that have no others', () => {
  const { queries: kept, counts } = treatOutside(queries, 'drop', 3)
  expect(counts).toEqual({ labels: 7, outside: 3, queries: 1, candidates: 3 })
  expect(kept).toEqual([
    queries[0],
    query('half', { relevant: [3], grades: [1] }),
    query('labeled', {
      relevant: [],
      grades: undefined,
      labels: { rows: [1, 2], values: [0.5, 0.2] },
    }),
  ])
  expect(outsideRemark(counts, 'drop')).toBe(
    "3 of 7 labeled documents (43 %) are not among their query’s first 3 candidates and are left out, and 1 queries that have no others (outside: 'inject' adds them)",
  )
})

test('inserts labels outside the candidates on request, with a warning if they are many', () => {
  const { queries: kept, counts } = treatOutside(queries, 'inject', 3)
  expect(kept).toEqual(queries)
  expect(outsideRemark(counts, 'inject')).toContain('and are added, which can make the model worse')
  expect(outsideRemark({ ...none, labels: 100, outside: 9 }, 'inject')).toBeUndefined()
  expect(outsideRemark({ ...none, labels: 100 }, 'drop')).toBeUndefined()
})

test('ignores a label of 0', () => {
  const labels = { rows: [1, 8], values: [1, 0] }
  const { counts } = treatOutside([query('a', { labels })], 'drop', 3)
  expect(counts).toEqual({ ...none, labels: 1, candidates: 3 })
})

test('counts the actual candidates in the remark if the run is shorter than the list', () => {
  const { counts } = treatOutside(queries, 'drop', 1000)
  expect(outsideRemark(counts, 'drop')).toContain('not among their query’s first 4 candidates')
})
