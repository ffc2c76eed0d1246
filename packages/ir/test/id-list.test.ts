import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listedIds, RowNumbers } from '../src/embeddings/embedding-ids.ts'
import { sharedRowIds } from '../src/internal.ts'
import { IdIndex } from '../src/io/id-index.ts'
import { IdList } from '../src/io/id-list.ts'
import { sharedQrels, shareQrels } from '../src/qrels/qrels.ts'

function listOf(ids: readonly string[]): IdList {
  const list = new IdList()
  for (const id of ids) list.pushText(id)
  return list
}

const ids = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 0, maxLength: 12 }), {
  maxLength: 200,
})

describe('ids shared with worker threads', () => {
  test('equal the ids of the list at each position', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const list = listOf(given)
        const index = new IdIndex(list)
        given.forEach((_, i) => {
          index.add(i)
        })
        const shared = IdIndex.over(index.share())
        const asked = listOf([...given, 'another id that is longer than any'])
        given.forEach((_, i) => {
          expect(shared.list.get(i)).toBe(list.get(i))
          expect(shared.find(asked, i)).toBe(i)
        })
        expect(shared.find(asked, given.length)).toBe(-1)
        const some = Uint32Array.from(given.keys()).filter((i) => i % 3 === 0)
        expect(Array.from(some, (_, i) => list.select(some).get(i))).toEqual(
          Array.from(some, (i) => list.get(i)),
        )
      }),
    )
  })

  test('can be the ids of rows, listed or numbered', () => {
    const listed = listedIds(listOf(['b', '7', 'a']), () => new Error('twice'))
    const other = sharedRowIds(listed.share())
    const asked = listOf(['a', '7', 'x', '01', '2', '-0', '1e0', ''])
    const found = (rows: { find(list: IdList, index: number): number }): number[] =>
      Array.from({ length: asked.length }, (_, i) => rows.find(asked, i))
    expect(found(other)).toEqual([2, 1, -1, -1, -1, -1, -1, -1])
    expect(other.idOf(0)).toBe('b')
    const numbers = sharedRowIds(new RowNumbers(3).share())
    expect(found(numbers)).toEqual([-1, -1, -1, -1, 2, -1, -1, -1])
    for (let i = 0; i < asked.length; i++) {
      expect(numbers.find(asked, i)).toBe(numbers.rowOf(asked.get(i)) ?? -1)
    }
  })

  test('can be the ids of judgments', () => {
    const qrels = new Map([
      [
        'q1',
        new Map([
          ['d1', 1],
          ['dé', -2],
        ]),
      ],
      ['q2', new Map<string, number>()],
    ])
    const shared = sharedQrels(shareQrels(qrels))
    for (const [query, judged] of qrels) expect(shared.get(query)).toEqual(judged)
    expect(shared.get('q3')).toBeUndefined()
  })
})
