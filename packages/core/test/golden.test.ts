import { describe, expect, test } from 'vitest'
import { presets, rerank } from '../src/index.ts'
import { goldenCases } from './golden.ts'
import { rowNeighbors, rowSimilarity } from './row-forms.ts'
import { allKernels, expectClose, splitContext } from './support.ts'

const cases = goldenCases()

describe.skipIf(cases.length === 0).each(allKernels)('golden cases on %s', (kernel) => {
  test.for(cases)('$id', ({ context, settings, groundTruth, expected }) => {
    const own = { ...settings, mix: 'raw', contextSize: context.rows, kernel } as const
    const all = { ...presets.balanced, ...own }

    const { rank, reciprocal } = rowNeighbors(context, all)
    expect(rank.map((row) => [...row])).toEqual(expected.rank)
    expect(reciprocal.map((row) => [...row])).toEqual(expected.reciprocal)

    const probes = [0, ...groundTruth.rows]
    const { geometric, jaccard, mixed } = rowSimilarity(context, probes, all)
    expectClose(geometric[0]!, expected.similarityToQuery, 2e-6)
    expectClose(jaccard[0]!, expected.jaccardToQuery, 2e-6)
    expectClose(mixed[0]!.subarray(1), expected.mixedToQuery, 2e-6)
    groundTruth.rows.forEach((_, l) => {
      expectClose(jaccard[l + 1]!, expected.jaccardToGroundTruth[l]!, 2e-6)
      expectClose(mixed[l + 1]!, expected.mixedToGroundTruth[l]!, 2e-6)
    })

    const { query, candidates } = splitContext(context)
    const { order, scores } = rerank(query, candidates, all)
    expect([...order]).toEqual(expected.ranking)
    expectClose(
      scores,
      expected.ranking.map((c) => expected.mixedToQuery[c]!),
      2e-6,
    )
  })
})
