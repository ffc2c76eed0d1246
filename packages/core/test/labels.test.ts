import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import {
  type GroundTruth,
  type Labels,
  labelPresets,
  type Matrix,
  type PartialLabelSettings,
  prepareText,
  smoothLabels,
} from '../src/index.ts'
import { injectGroundTruth } from '../src/labels/ground-truth.ts'
import { contexts, makeContext } from './contexts.ts'
import { goldenCases } from './golden.ts'
import { mixedLabels } from './label-oracle.ts'
import { rowLabels, rowSimilarity } from './row-forms.ts'
import { allKernels, expectClose, splitContext } from './support.ts'

const cases = goldenCases()
const targets = [
  'mixed',
  'rnn',
  'geometric',
  'joint',
  'one-hot',
  'uniform',
  'query-centric',
] as const

describe.skipIf(cases.length === 0).each(allKernels)('golden labels on %s', (kernel) => {
  test.for(cases)('$id', ({ context, settings, groundTruth, expected }) => {
    for (const { aggregate, normalize, boost, relevance } of expected.labels) {
      const candidates = context.rows - 1
      const { evidence, kept, target } = rowLabels(context, groundTruth, {
        ...settings,
        mix: 'raw',
        kernel,
        aggregate,
        normalize,
        boost,
        labelDepth: candidates,
      })
      expect(kept.length).toBe(candidates)
      // The softmax keeps differences: the first candidate's own relevance gives the rest.
      const logits = new Float64Array(candidates)
      kept.forEach((candidate, i) => {
        logits[candidate] = Math.log(target[i]!)
      })
      const shift = relevance[0]! - logits[0]!
      expectClose(
        logits.map((logit) => logit + shift),
        relevance,
        2e-5,
      )
      if (normalize === 'none' && boost === 1) expectClose(evidence, relevance, 2e-5)
    }
  })
})

/** A context of at least two rows, with some ground truth in it. */
function labeled(): fc.Arbitrary<{
  context: Matrix
  groundTruth: { rows: number[]; grades: number[] }
}> {
  return contexts(['integers', 'floats', 'clustered'], { rows: 60, dimensions: 40 })
    .map(({ context }) => context)
    .filter(({ rows }) => rows > 1)
    .chain((context) =>
      fc
        .uniqueArray(
          fc.record({
            row: fc.integer({ min: 1, max: context.rows - 1 }),
            grade: fc.integer({ min: 1, max: 3 }),
          }),
          { minLength: 1, maxLength: 4, selector: ({ row }) => row },
        )
        .map((truth) => ({
          context,
          groundTruth: {
            rows: truth.map(({ row }) => row),
            grades: truth.map(({ grade }) => grade),
          },
        })),
    )
}

function smoothing(): fc.Arbitrary<PartialLabelSettings & { labelDepth: number; boost: number }> {
  return fc.record({
    aggregate: fc.constantFrom('mean', 'max', 'sum'),
    normalize: fc.constantFrom('maxmin', 'std', 'max', 'none'),
    normalizeOver: fc.constantFrom('context', 'kept'),
    labelDepth: fc.integer({ min: 1, max: 70 }),
    boost: fc.constantFrom(0.5, 1, 1.222, 3),
    keepGroundTruth: fc.boolean(),
    mix: fc.constantFrom('raw', 'standard'),
  })
}

describe('properties of soft labels', () => {
  test('every target is a distribution over candidates, highest first', () => {
    fc.assert(
      fc.property(
        labeled(),
        smoothing(),
        fc.constantFrom(...targets),
        fc.constantFrom(0, 0.3, 1, 'match-mixed' as const),
        ({ context, groundTruth }, settings, target, epsilon) => {
          const labels = rowLabels(context, groundTruth, { ...settings, target, epsilon })
          expectDistribution(labels, context.rows - 1)
        },
      ),
      tries(60),
    )
  })

  test('computes mixed labels as the plain oracle does', () => {
    fc.assert(
      fc.property(labeled(), smoothing(), ({ context, groundTruth }, settings) => {
        const { kept, target } = rowLabels(context, groundTruth, settings)
        const expected = mixedLabels(context, groundTruth, settings)
        const byCandidate = new Map(expected.map(({ candidate, label }) => [candidate, label]))
        expect([...kept].toSorted((a, b) => a - b)).toEqual(
          [...byCandidate.keys()].toSorted((a, b) => a - b),
        )
        expectClose(
          target,
          Array.from(kept, (candidate) => byCandidate.get(candidate)!),
          1e-9,
        )
      }),
      tries(60),
    )
  })

  test('raises only the ground truth with a larger boost', () => {
    fc.assert(
      fc.property(
        labeled(),
        smoothing(),
        fc.constantFrom('maxmin' as const, 'std' as const),
        ({ context, groundTruth }, settings, normalize) => {
          const at = (boost: number): Map<number, number> =>
            labelsByCandidate(rowLabels(context, groundTruth, { ...settings, normalize, boost }))
          const [low, high] = [at(1), at(2)]
          for (const [candidate, label] of low) {
            const now = high.get(candidate)!
            if (!groundTruth.rows.includes(candidate + 1)) expect(now).toBeLessThanOrEqual(label)
          }
          expect(truthMass(high, groundTruth.rows)).toBeGreaterThanOrEqual(
            truthMass(low, groundTruth.rows) - 1e-12,
          )
        },
      ),
      tries(50),
    )
  })

  test('never gives a lower label to more evidence, among the ground truth and among the others', () => {
    fc.assert(
      fc.property(labeled(), smoothing(), ({ context, groundTruth }, settings) => {
        const { evidence, kept, target } = rowLabels(context, groundTruth, settings)
        for (const truth of [true, false]) {
          const same = [...kept.keys()].filter(
            (i) => groundTruth.rows.includes(kept[i]! + 1) === truth,
          )
          for (const a of same) {
            for (const b of same) {
              if (evidence[kept[a]!]! > evidence[kept[b]!]!) {
                expect(target[a]!).toBeGreaterThanOrEqual(target[b]!)
              }
            }
          }
        }
      }),
      tries(50),
    )
  })

  test('gives all probability to the ground truth if labelDepth is its size', () => {
    fc.assert(
      fc.property(
        labeled(),
        fc.constantFrom('mixed' as const, 'joint' as const, 'query-centric' as const),
        ({ context, groundTruth }, target) => {
          const { kept } = rowLabels(context, groundTruth, {
            target,
            labelDepth: groundTruth.rows.length,
          })
          expect(Array.from(kept, (candidate) => candidate + 1).toSorted((a, b) => a - b)).toEqual(
            groundTruth.rows.toSorted((a, b) => a - b),
          )
        },
      ),
    )
  })
})

describe('label targets', () => {
  const context = makeContext('clustered', 31, 16, { seed: 5 })
  const groundTruth = { rows: [3, 9], grades: [1, 1] }

  test('one-hot splits the probability evenly among the ground truth', () => {
    const { kept, target } = rowLabels(context, groundTruth, { target: 'one-hot' })
    expect([...kept]).toEqual([2, 8])
    expect([...target]).toEqual([0.5, 0.5])
  })

  test('uniform moves ε from the ground truth evenly to the other candidates', () => {
    const labels = labelsByCandidate(
      rowLabels(context, groundTruth, { target: 'uniform', epsilon: 0.28 }),
    )
    expect(labels.size).toBe(30)
    for (const [candidate, label] of labels) {
      expect(label).toBeCloseTo([2, 8].includes(candidate) ? 0.36 : 0.01, 12)
    }
  })

  test('uniform with epsilon match-mixed moves as much probability as mixed does', () => {
    const mixed = labelsByCandidate(rowLabels(context, groundTruth, { labelDepth: 9 }))
    const uniform = labelsByCandidate(
      rowLabels(context, groundTruth, {
        target: 'uniform',
        epsilon: 'match-mixed',
        labelDepth: 9,
      }),
    )
    expect(truthMass(uniform, groundTruth.rows)).toBeCloseTo(truthMass(mixed, groundTruth.rows), 12)
  })

  test('rnn and geometric equal mixed with λ = 0 and λ = 1', () => {
    for (const mix of ['raw', 'standard'] as const) {
      const { evidence: rnn } = rowLabels(context, groundTruth, { target: 'rnn', mix })
      const { evidence: zero } = rowLabels(context, groundTruth, { lambda: 0, mix })
      expect(rnn).toEqual(zero)
      const { evidence: geometric } = rowLabels(context, groundTruth, {
        target: 'geometric',
        mix,
      })
      const { evidence: one } = rowLabels(context, groundTruth, { lambda: 1, mix })
      expectClose(geometric, one, 1e-6)
    }
  })

  test('query-centric uses the similarity to the query as evidence', () => {
    const { geometric } = rowSimilarity(context, [0])
    const { evidence } = rowLabels(context, groundTruth, { target: 'query-centric' })
    expectClose(evidence, geometric[0]!.subarray(1), 0)
  })

  test.each(allKernels)(
    'joint is the sum of z-scores of docs/method.md, with texts too (%s)',
    (kernel) => {
      const texts = Array.from({ length: 31 }, (_, i) =>
        prepareText(
          ['ship', 'hull', 'wave', 'wind'].filter((_, bit) => ((i * 7 + 5) >> bit) & 1).join(' '),
        ),
      )
      const one = { vectors: { graph: 1, score: 1 } }
      const words = { vectors: { graph: 0, score: 0 }, texts: { graph: 1, score: 1 } }
      const raw = rowSimilarity(context, [0, 3, 9], { views: one }).geometric
      // With the words alone, the geometric term is z over all candidates: z again gives the same.
      const text = rowSimilarity({ vectors: context, texts }, [0, 3, 9], { views: words }).geometric
      const z = (values: Float32Array): number[] => {
        const others = [...values].filter((_, c) => ![0, 3, 9].includes(c))
        const mean = others.reduce((a, b) => a + b, 0) / others.length
        const deviation = Math.sqrt(others.reduce((a, b) => a + (b - mean) ** 2, 0) / others.length)
        return Array.from(values, (value) => (value - mean) / deviation)
      }
      const [query, first, second] = raw.map(z)
      const [queryText, firstText, secondText] = text.map(z)
      const plain = rowLabels(context, groundTruth, { target: 'joint', kernel })
      const both = rowLabels({ vectors: context, texts }, groundTruth, { target: 'joint', kernel })
      for (let c = 0; c < 30; c++) {
        const i = c + 1
        const vectors = query![i]! + (first![i]! + second![i]!) / 2
        expect(plain.evidence[c]).toBeCloseTo(vectors, 4)
        const all = vectors + 0.5 * (queryText![i]! + (firstText![i]! + secondText![i]!) / 2)
        if (![2, 8].includes(c)) expect(both.evidence[c]).toBeCloseTo(all, 4)
      }
    },
  )

  test('mixed weights ground-truth documents by their grades', () => {
    const { mixed } = rowSimilarity(context, [3, 9], { mix: 'raw' })
    const { evidence } = rowLabels(context, { rows: [3, 9], grades: [1, 3] }, { mix: 'raw' })
    for (let c = 0; c < 30; c++) {
      expect(evidence[c]).toBeCloseTo((mixed[0]![c + 1]! + 3 * mixed[1]![c + 1]!) / 2, 6)
    }
  })

  test('every candidate gets the same label if all evidence is equal', () => {
    const same = { data: new Float32Array(5 * 4).fill(1), rows: 5, dimensions: 4 }
    const labels = rowLabels(
      same,
      { rows: [2] },
      { target: 'geometric', mix: 'raw', labelDepth: 4 },
    )
    expect([...labels.target]).toEqual([0.25, 0.25, 0.25, 0.25])
  })

  test('labels a context that contains only ground truth', () => {
    const small = makeContext('floats', 2, 4, { seed: 2 })
    for (const target of targets) {
      const labels = rowLabels(small, { rows: [1] }, { target })
      expect([...labels.kept]).toEqual([0])
      expect([...labels.target]).toEqual([1])
    }
  })

  test('keeps the label presets of the paper', () => {
    expect(labelPresets['paper-tas-b']).toMatchObject({
      boost: 1.222,
      labelDepth: 4,
      contextSize: 60,
    })
    expect(labelPresets['paper-cocondenser']).toMatchObject({
      boost: 1.525,
      labelDepth: 32,
      normalize: 'std',
    })
  })
})

describe('ground truth', () => {
  const context = makeContext('floats', 4, 3, { seed: 1 })

  test('is inserted once, before the retrieved documents', () => {
    expect(injectGroundTruth(['x', 'b'], ['a', 'b', 'c', 'd'], 4)).toEqual(['x', 'b', 'a', 'c'])
    expect(injectGroundTruth(['x'], [], 4)).toEqual(['x'])
    expect(() => injectGroundTruth(['x', 'y', 'z'], ['a'], 2)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
  })

  test.each([
    [{ candidates: [] }, /at least one candidate, such as \{ candidates: \[0\] \}/],
    [{ candidates: [3] }, /candidate 3 /],
    [{ candidates: [-1] }, /candidate -1 /],
    [{ candidates: [1.5] }, /candidate 1.5/],
    [{ candidates: [1, 1] }, /candidate 1 /],
    [{ candidates: [1, 2], grades: [1] }, /2 grades, .* got 1/],
    [{ candidates: [1], grades: [0] }, /got 0/],
    [{ candidates: [1], grades: [Number.NaN] }, /got NaN/],
    [{ rows: [1] }, /unknown property of the ground truth "rows", did you mean candidates\?/],
    [{ candidates: [1], grade: [1] }, /"grade", did you mean grades\?/],
  ])('refuses %j', (groundTruth, message) => {
    const { query, candidates } = splitContext(context)
    expect(() => smoothLabels(query, candidates, groundTruth as GroundTruth)).toThrow(message)
  })

  test.each([
    [{ labelDepth: 0 }, /labelDepth must be .*, got 0/],
    [{ boost: 0 }, /boost must be .*, got 0/],
    [{ epsilon: 1.5 }, /epsilon must be .*, got 1.5/],
    [{ target: 'cosy' }, /target must be .*, got "cosy"/],
    [{ keepGroundTruth: 'yes' }, /keepGroundTruth must be one of true, false, got "yes"/],
    [{ temperature: 1 }, /unknown setting "temperature"/],
  ])('refuses the settings %j', (settings, message) => {
    expect(() =>
      rowLabels(context, { rows: [1] }, settings as unknown as PartialLabelSettings),
    ).toThrow(message)
  })
})

function expectDistribution({ evidence, kept, target }: Labels, candidates: number): void {
  expect(evidence.length).toBe(candidates)
  expect(evidence.every(Number.isFinite)).toBe(true)
  expect(new Set(kept).size).toBe(kept.length)
  expect(target.every((label) => label >= 0 && label <= 1)).toBe(true)
  expect(target.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9)
  for (let i = 1; i < target.length; i++) expect(target[i]!).toBeLessThanOrEqual(target[i - 1]!)
}

function labelsByCandidate({ kept, target }: Labels): Map<number, number> {
  return new Map(Array.from(kept, (candidate, i) => [candidate, target[i]!]))
}

function truthMass(labels: ReadonlyMap<number, number>, rows: readonly number[]): number {
  return rows.reduce((sum, row) => sum + (labels.get(row - 1) ?? 0), 0)
}
