import { describe, expect, test } from 'vitest'
import { type KernelName, presets, rerank, resolveLabelSettings } from '../src/index.ts'
import { labelCases, ownContexts, rankingCases } from './golden-own.ts'
import { rowLabels, rowNeighbors, rowSimilarity, splitRows } from './row-forms.ts'

/** All of them, wherever the tests run: a kernel that is missing fails. */
const kernels: readonly KernelName[] = ['relaxed-simd', 'simd', 'typescript']

/** Of float32, and of eight digits; standardized terms multiply it by a few. */
const CLOSE = 2e-6
const STANDARDIZED = 2e-5

describe.each(kernels)('the project’s own golden rankings on %s', (kernel) => {
  test.for(rankingCases)('$id', ({ context, settings, expected }) => {
    const own = ownContexts[context]!
    // They were made for the first generation; that of the second has tests of its own.
    const all = { ...presets['balanced-1'], ...settings, kernel }
    const { rank, reciprocal } = rowNeighbors(own, all)
    expect(rank.map((row) => row.join(' '))).toEqual(expected.rank)
    expect(reciprocal.map((row) => row.join(' '))).toEqual(expected.reciprocal)

    const { geometric, jaccard, mixed } = rowSimilarity(own, expected.probes, all)
    expected.probes.forEach((_, p) => {
      expectNear(geometric[p]!, expected.geometric[p]!, own.texts ? STANDARDIZED : CLOSE)
      expectNear(jaccard[p]!, expected.jaccard[p]!, CLOSE)
      expectNear(mixed[p]!, expected.mixed[p]!, settings.mix === 'raw' ? CLOSE : STANDARDIZED)
    })

    const { query, candidates } = splitRows(own)
    const { order, scores } = rerank(query, candidates, all)
    expect([...order]).toEqual(expected.order)
    const wanted = expected.scores ?? expected.order.map((c) => expected.mixed[0]![c + 1]!)
    expectNear(scores, wanted, STANDARDIZED)
  })
})

describe.each(kernels)('the project’s own golden labels on %s', (kernel) => {
  test.for(labelCases)('$id', ({ context, groundTruth, settings, expected }) => {
    const { evidence, kept, target } = rowLabels(ownContexts[context]!, groundTruth, {
      tokenizer: 'none',
      ...settings,
      kernel,
    })
    expectNear(evidence, expected.evidence, STANDARDIZED)
    expect([...kept]).toEqual(expected.kept)
    expectNear(target, expected.target, STANDARDIZED)
  })
})

test('covers every value of every choice with a case', () => {
  const resolved = [...rankingCases, ...labelCases].map(({ settings }) =>
    resolveLabelSettings(settings),
  )
  const choices = {
    target: ['mixed', 'rnn', 'geometric', 'joint', 'one-hot', 'uniform', 'query-centric'],
    aggregate: ['mean', 'max', 'sum'],
    normalize: ['maxmin', 'std', 'max', 'none'],
    normalizeOver: ['context', 'kept'],
    keepGroundTruth: [true, false],
    weight: ['linear', 'exp', 'binary'],
    rowScaling: ['none', 'max', 'mean'],
    metric: ['dot', 'cosine'],
    mix: ['raw', 'standard'],
  } as const
  for (const [name, values] of Object.entries(choices)) {
    const used = new Set(resolved.map((settings) => settings[name as keyof typeof choices]))
    expect({ [name]: used }).toEqual({ [name]: new Set<unknown>(values) })
  }
})

/** Every entry within a tolerance that grows with it. */
function expectNear(actual: ArrayLike<number>, expected: readonly number[], tolerance: number) {
  expect(actual.length).toBe(expected.length)
  expected.forEach((value, i) => {
    if (Math.abs(actual[i]! - value) <= tolerance * Math.max(1, Math.abs(value))) return
    expect.fail(`entry ${i} is ${actual[i]}, expected ${value}`)
  })
}
