import { type Qrels, type Run, RunBuilder } from '@kith/ir'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawSparse } from '../src/draw-sparse.ts'

/** A run that ranks the documents of each query in the given order. */
function runOf(rankings: ReadonlyMap<string, readonly string[]>): Run {
  const builder = new RunBuilder()
  for (const [query, ids] of rankings) {
    builder.add({ query, ids, scores: ids.map((_, rank) => -rank) })
  }
  return builder.finish()
}

function qrelsOf(relevant: ReadonlyMap<string, readonly string[]>): Qrels {
  return new Map([...relevant].map(([query, ids]) => [query, new Map(ids.map((id) => [id, 1]))]))
}

const names = (letter: string, most: number) =>
  fc.uniqueArray(
    fc.nat(40).map((number) => `${letter}${number}`),
    { minLength: 1, maxLength: most },
  )
const lists = fc
  .tuple(names('q', 8), fc.array(fc.tuple(names('d', 20), names('d', 20)), { minLength: 8 }))
  .map(([queries, pairs]) => ({
    relevant: new Map(queries.map((query, i) => [query, pairs[i]![0]])),
    ranked: new Map(queries.map((query, i) => [query, pairs[i]![1]])),
  }))

test('draws one relevant document within the depth for each query that has one', () => {
  fc.assert(
    fc.property(lists, fc.nat(), fc.integer({ min: 1, max: 25 }), (lists, seed, depth) => {
      const { relevant, ranked } = lists
      const inReach = new Map(
        [...relevant].map(([query, ids]) => {
          return [query, ids.filter((id) => ranked.get(query)!.slice(0, depth).includes(id))]
        }),
      )
      const draw = () => drawSparse(qrelsOf(relevant), runOf(ranked), { seed, depth })
      if ([...inReach.values()].every((ids) => ids.length === 0)) {
        expect(draw).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
        return
      }
      const { qrels, without } = draw()
      expect(without).toEqual([...relevant.keys()].filter((query) => !inReach.get(query)!.length))
      expect([...qrels.keys(), ...without].sort()).toEqual([...relevant.keys()].sort())
      for (const [query, judged] of qrels) {
        expect(judged.size).toBe(1)
        expect(inReach.get(query)).toContain([...judged.keys()][0])
      }
    }),
  )
})

test('draws depending only on the seed, the query and the relevant documents within the depth', () => {
  fc.assert(
    fc.property(lists, fc.nat(), ({ relevant, ranked }, seed) => {
      const reached = new Map(
        [...relevant].map(([query, ids]) => [query, [...new Set([...ids, ...ranked.get(query)!])]]),
      )
      const all = drawSparse(qrelsOf(relevant), runOf(reached), { seed }).qrels
      const turned = new Map(
        [...reached].reverse().map(([query, ids]) => [query, ids.toReversed()]),
      )
      const backwards = new Map([...relevant].reverse())
      expect(drawSparse(qrelsOf(backwards), runOf(turned), { seed }).qrels).toEqual(all)
      const [query] = relevant.keys()
      const alone = new Map([[query!, relevant.get(query!)!]])
      const only = drawSparse(qrelsOf(alone), runOf(reached), { seed }).qrels
      expect(only.get(query!)).toEqual(all.get(query!))
    }),
  )
})

test('draws other documents with other seeds, each about as often', () => {
  const relevant = qrelsOf(new Map([['q', ['a', 'b', 'c', 'd']]]))
  const run = runOf(new Map([['q', ['d', 'x', 'c', 'b', 'a']]]))
  const counts = new Map<string, number>()
  for (let seed = 0; seed < 4000; seed++) {
    const [drawn] = drawSparse(relevant, run, { seed }).qrels.get('q')!.keys()
    counts.set(drawn!, (counts.get(drawn!) ?? 0) + 1)
  }
  expect([...counts.keys()].sort()).toEqual(['a', 'b', 'c', 'd'])
  // Five standard deviations of a binomial of 4000 and 1/4.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(137)
})

test('draws no document judged not relevant, and keeps the grade of the drawn document', () => {
  const graded: Qrels = new Map([
    [
      'q',
      new Map([
        ['a', 0],
        ['b', 2],
        ['c', -1],
      ]),
    ],
  ])
  const run = runOf(new Map([['q', ['a', 'c', 'b']]]))
  for (let seed = 0; seed < 20; seed++) {
    expect(drawSparse(graded, run, { seed }).qrels).toEqual(new Map([['q', new Map([['b', 2]])]]))
  }
})

test('refuses an invalid depth or seed', () => {
  const relevant = qrelsOf(new Map([['q', ['a']]]))
  const run = runOf(new Map([['q', ['a']]]))
  expect(() => drawSparse(relevant, run, { depth: 0 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
  expect(() => drawSparse(relevant, run, { seed: -1 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
})
