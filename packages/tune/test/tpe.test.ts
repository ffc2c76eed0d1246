import { expect, test } from 'vitest'
import type { Parameters, Space } from '../src/search/space.ts'
import {
  type FinishedTrial,
  ROUND,
  type Suggest,
  suggestEvenly,
  suggestTpe,
} from '../src/search/tpe.ts'

/** All kinds of dimensions; the best point has kind b, so that the conditional one matters. */
const space: Space = {
  kind: { kind: 'choice', values: ['a', 'b', 'c'] },
  x: { kind: 'float', from: -5, to: 5 },
  rate: { kind: 'float', from: 1e-4, to: 1, log: true },
  n: { kind: 'integer', from: 1, to: 30 },
  depth: {
    kind: 'integer',
    from: 1,
    to: 100,
    log: true,
    when: { dimension: 'kind', is: 'b' },
  },
}
const start: Parameters = { kind: 'a', x: -3, rate: 0.5, n: 3 }

/** 0 at kind b, x 1.3, rate 0.01, n 17, depth 12; below everywhere else. */
function known({ kind, x, rate, n, depth }: Parameters): number {
  const own = kind === 'b' ? Math.log((depth as number) / 12) ** 2 / 2 : kind === 'a' ? 1.5 : 2.5
  return -(
    own +
    ((x as number) - 1.3) ** 2 / 4 +
    (Math.log10(rate as number) + 2) ** 2 +
    Math.abs((n as number) - 17) / 6
  )
}

function search(suggest: Suggest, seed: number, trials: number): FinishedTrial[] {
  const finished: FinishedTrial[] = []
  while (finished.length < trials) {
    for (const parameters of suggest({ space, seed, study: 0, start }, [...finished])) {
      finished.push({ parameters, value: known(parameters) })
    }
  }
  return finished.slice(0, trials)
}

function best(trials: readonly FinishedTrial[]): number {
  return Math.max(...trials.map(({ value }) => value))
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!
}

test('is better than random search on a known function, in the median and nearly always', () => {
  const seeds = [...new Array(15).keys()]
  const ours = seeds.map((seed) => best(search(suggestTpe, seed, 100)))
  const random = seeds.map((seed) => best(search(suggestEvenly, seed, 100)))
  expect(ours.filter((value, i) => value > random[i]!).length).toBeGreaterThanOrEqual(13)
  const many = seeds.map((seed) => best(search(suggestEvenly, seed, 400)))
  expect(median(ours)).toBeGreaterThan(median(random) + 0.5)
  // A hundred trials of ours are worth more than four hundred random ones.
  expect(median(ours)).toBeGreaterThan(median(many))
})

test('suggests the same for the same seed and trials, and differently for other seeds and studies', () => {
  const finished = search(suggestTpe, 5, 40)
  expect(search(suggestTpe, 5, 40)).toEqual(finished)
  const recipe = { space, seed: 5, study: 0, start }
  const next = suggestTpe(recipe, finished)
  expect(suggestTpe(recipe, finished)).toEqual(next)
  expect(suggestTpe({ ...recipe, seed: 6 }, finished)).not.toEqual(next)
  expect(suggestTpe({ ...recipe, study: 1 }, finished)).not.toEqual(next)
  // What has been found decides, too.
  const other = finished.map(({ parameters, value }) => ({ parameters, value: -value }))
  expect(suggestTpe(recipe, other)).not.toEqual(next)
})

test('begins a round with the start, shares the first rounds between studies, and repeats no trial', () => {
  const first = suggestTpe({ space, seed: 1, study: 0, start }, [])
  expect(first[0]).toBe(start)
  expect(first.length).toBe(ROUND)
  expect(suggestTpe({ space, seed: 1, study: 3, start }, [])).toEqual(first)
  const finished = search(suggestTpe, 1, 64)
  const round = suggestTpe({ space, seed: 1, study: 0, start }, finished)
  expect(new Set(round.map((point) => JSON.stringify(point))).size).toBe(ROUND)
})

test('suggests only points of the space', () => {
  for (const { parameters } of search(suggestTpe, 3, 120)) {
    const { kind, x, rate, n, depth } = parameters as Record<string, number> & { kind: unknown }
    expect(['a', 'b', 'c']).toContain(kind)
    expect(Math.abs(x!)).toBeLessThanOrEqual(5)
    expect(rate! >= 1e-4 && rate! <= 1).toBe(true)
    expect(Number.isInteger(n) && n! >= 1 && n! <= 30).toBe(true)
    expect(depth !== undefined).toBe(kind === 'b')
  }
})
