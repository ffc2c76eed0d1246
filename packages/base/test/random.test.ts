import { expect, test } from 'vitest'
import {
  below,
  counterWords,
  fraction,
  hashedWords,
  mulberryWords,
  normal,
  seededFraction,
  sfcWords,
  shuffle,
  type Words,
} from '../src/random.ts'

const three = (words: Words): number[] => [words(), words(), words()]

test('keeps its random streams unchanged, because recorded results depend on them', () => {
  expect(three(hashedWords(5, 2 ** 40))).toEqual([1937477850, 522775953, 4039701842])
  expect(three(sfcWords(7, 2 ** 33 + 1, 1))).toEqual([3930250098, 1667432535, 3196685265])
  expect(three(mulberryWords(11))).toEqual([2197249643, 2276102492, 2611849345])
  expect(three(counterWords(3, 0x9e3779b9)).slice(0, 2)).toEqual([3984711379, 746935934])
  const words = hashedWords(1)
  expect([normal(words), normal(words)]).toEqual([-0.10133066434387432, -0.0553491131395275])
  expect(shuffle([0, 1, 2, 3, 4, 5, 6, 7], hashedWords(3))).toEqual([6, 4, 5, 0, 2, 3, 7, 1])
  const order = Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7)
  expect([...shuffle(order, sfcWords(2, 0))]).toEqual([4, 3, 0, 5, 6, 7, 2, 1])
})

test.each([
  ['hashedWords', hashedWords],
  ['sfcWords', sfcWords],
  ['mulberryWords', mulberryWords],
])('%s: draws evenly, and differently for each seed', (_, stream) => {
  const words = stream(1)
  const counts = new Array<number>(10).fill(0)
  for (let i = 0; i < 10_000; i++) counts[below(10, words)]!++
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150)
  const firsts = Array.from({ length: 1000 }, (_, seed) => fraction(stream(seed)))
  expect(new Set(firsts).size).toBe(1000)
})

test('uses all digits of seeds above 2³²', () => {
  for (const stream of [hashedWords, sfcWords]) {
    expect(three(stream(1))).not.toEqual(three(stream(1 + 2 ** 32)))
  }
})

test('draws normal numbers with mean 0 and standard deviation 1', () => {
  const words = sfcWords(4)
  const draws = Array.from({ length: 20_000 }, () => normal(words))
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length
  const squares = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0)
  expect(mean).toBeCloseTo(0, 1)
  expect(Math.sqrt(squares / draws.length)).toBeCloseTo(1, 1)
})

test('draws evenly, and differently for each seed and name', () => {
  const draws = Array.from({ length: 4000 }, (_, seed) => seededFraction(seed, 'q'))
  const mean = draws.reduce((a, b) => a + b, 0) / draws.length
  expect(mean).toBeCloseTo(0.5, 1)
  expect(new Set(draws).size).toBeGreaterThan(3990)
  expect(() => seededFraction(-1, 'q')).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }))
})
