import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitFolds } from '../src/settings/search-settings.ts'

test('puts every query into one fold, and makes folds of equal size, give or take one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 300 }),
      fc.integer({ min: 2, max: 10 }),
      fc.nat(),
      (queries, folds, seed) => {
        fc.pre(folds <= queries)
        const sizes = new Array<number>(folds).fill(0)
        for (const fold of splitFolds(queries, folds, seed)) sizes[fold]!++
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      },
    ),
  )
})

test('keeps the queries of a group together', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 20, maxLength: 200 }),
      fc.nat(),
      (numbers, seed) => {
        const groups = numbers.map((number) => `region ${number}`)
        const folds = Math.min(5, new Set(groups).size)
        fc.pre(folds >= 2)
        const result = splitFolds(groups.length, folds, seed, groups)
        const places = new Map<string, Set<number>>()
        groups.forEach((group, query) => {
          places.set(group, (places.get(group) ?? new Set()).add(result[query]!))
        })
        for (const { size } of places.values()) expect(size).toBe(1)
        expect(new Set(result).size).toBe(folds)
      },
    ),
  )
})

test('assigns folds by the seed', () => {
  expect(splitFolds(100, 5, 7)).toEqual(splitFolds(100, 5, 7))
  expect(splitFolds(100, 5, 7)).not.toEqual(splitFolds(100, 5, 8))
})

test('refuses more folds than queries or groups', () => {
  expect(() => splitFolds(4, 5, 0)).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('folds') }),
  )
  expect(() => splitFolds(4, 3, 0, ['a', 'a', 'b', 'b'])).toThrow('(2 groups of queries)')
  expect(() => splitFolds(4, 1, 0)).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }))
})
