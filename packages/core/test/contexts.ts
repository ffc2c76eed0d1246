import fc from 'fast-check'
import type { Matrix, PartialSettings, Settings } from '../src/index.ts'
import { resolveSettings } from '../src/settings/settings.ts'
import { random } from './support.ts'

/** How the numbers of a generated context come about. */
export type Kind = 'integers' | 'floats' | 'clustered'

/**
 * Contexts of any size the kernels must take. Integers make ties exact in every
 * kernel; some rows are duplicates of others, some are zero.
 */
export function contexts(kinds: readonly Kind[], most = { rows: 300, dimensions: 800 }) {
  return fc
    .record({
      kind: fc.constantFrom(...kinds),
      rows: fc.oneof(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(...[4, 5, 61, 63, 64, 65, 128, 129].filter((n) => n <= most.rows)),
        fc.integer({ min: 1, max: most.rows }),
      ),
      dimensions: fc.oneof(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: most.dimensions }),
      ),
      duplicates: fc.constantFrom(0, 0.2, 1),
      zeros: fc.constantFrom(0, 0.1),
      seed: fc.integer(),
    })
    .map(({ kind, rows, dimensions, duplicates, zeros, seed }) => ({
      kind,
      context: makeContext(kind, rows, dimensions, { duplicates, zeros, seed }),
    }))
}

/** One context, the same for the same seed. */
export function makeContext(
  kind: Kind,
  rows: number,
  dimensions: number,
  { duplicates = 0, zeros = 0, seed = 1 } = {},
): Matrix {
  const next = random(seed)
  const data = new Float32Array(rows * dimensions)
  const centers = Array.from({ length: 5 }, () =>
    Float32Array.from({ length: dimensions }, () => next() - 0.5),
  )
  for (let i = 0; i < rows; i++) {
    const row = data.subarray(i * dimensions, (i + 1) * dimensions)
    if (i > 0 && next() < duplicates) {
      const of = Math.floor(next() * i)
      row.set(data.subarray(of * dimensions, (of + 1) * dimensions))
    } else if (next() >= zeros) {
      const center = centers[Math.floor(next() * centers.length)]!
      for (let j = 0; j < dimensions; j++) {
        if (kind === 'integers') row[j] = Math.floor(next() * 7) - 2
        else if (kind === 'floats') row[j] = next() * 2 - 0.6
        else row[j] = center[j]! + (next() - 0.5) * 0.8
      }
    }
  }
  return { data, rows, dimensions }
}

/** Settings over their whole ranges; k and kExp often beyond the context. */
export function settings(): fc.Arbitrary<Settings> {
  const some: fc.Arbitrary<PartialSettings> = fc.record({
    k: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 400 })),
    kExp: fc.integer({ min: 0, max: 15 }),
    trust: fc.constantFrom(0, 0.1, 0.3333, 0.5, 1),
    overlap: fc.constantFrom(0, 0.5, 2 / 3, 1),
    lambda: fc.constantFrom(0, 0.451, 1),
    weight: fc.constantFrom('linear', 'exp', 'binary'),
    weightParameter: fc.constantFrom(0.5, 1, 3.3),
    mix: fc.constantFrom('raw', 'standard'),
    metric: fc.constantFrom('dot', 'cosine'),
  })
  // All settings, so that none of them counts as set: some switch others off.
  return some.map((given) => resolveSettings(given))
}
