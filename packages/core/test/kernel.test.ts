import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { kernel as defaultKernel, Reranker, rerank } from '../src/index.ts'
import { createEngine, kernelBytes } from '../src/kernel/load.ts'
import { rowsOf as matrixRows } from '../src/matrix.ts'
import {
  expandWeights,
  extendedSets,
  jaccardTo,
  neighborWeights,
  rankRows,
} from '../src/method/neighbor-steps.ts'
import { scaleRows } from '../src/method/similarity-steps.ts'
import { resolveSettings } from '../src/settings/settings.ts'
import { contexts, makeContext, settings } from './contexts.ts'
import { rowNeighbors, rowSimilarity } from './row-forms.ts'
import { allKernels, expectClose, fastKernels, splitContext } from './support.ts'

const RUNS = tries(10)

/** Neighbors of a thousand candidates, different or identical, by the plain kernel. */
const thousands = [0, 1].map((duplicates) => {
  const context = makeContext('integers', 1001, 24, { duplicates, seed: 5 })
  const some = { k: 21, trust: 0.5 }
  return { context, some, expected: rowNeighbors(context, { ...some, kernel: 'typescript' }) }
})

describe.each(fastKernels)('%s against the oracle', (kernel) => {
  test('gives the same neighbors and similarities for whole numbers, whose sums are exact', () => {
    fc.assert(
      fc.property(
        contexts(['integers']),
        settings(),
        fc.constantFrom('none', 'max', 'mean'),
        ({ context }, some, rowScaling) => {
          const fast = { ...some, rowScaling, kernel }
          const plain = { ...some, rowScaling, kernel: 'typescript' } as const
          expect(rowNeighbors(context, fast)).toEqual(rowNeighbors(context, plain))
          const probes = [0, context.rows - 1]
          const actual = rowSimilarity(context, probes, fast)
          const expected = rowSimilarity(context, probes, plain)
          for (const p of [0, 1]) {
            expect(actual.geometric[p]).toEqual(expected.geometric[p])
            expectClose(actual.jaccard[p]!, expected.jaccard[p]!, 1e-6)
          }
        },
      ),
      RUNS,
    )
  })

  test('gives close similarities for any numbers, and the same result in every later step', () => {
    fc.assert(
      fc.property(
        contexts(['floats', 'clustered']),
        settings(),
        fc.constantFrom('none', 'max', 'mean'),
        ({ context }, some, rowScaling) => {
          const all = resolveSettings(some)
          const { rows, dimensions } = context
          const k = Math.min(all.k, rows - 1)
          const engine = createEngine(kernel)
          const graph = engine.gram(matrixRows(context, 'row'))
          const s = flat(rows, (i) => graph.row(i))
          expectClose(s, exactGram(context.data, rows, dimensions), dimensions * 2e-6)

          graph.scale(rowScaling)
          scaleRows(s, rows, rowScaling)
          expectClose(
            flat(rows, (i) => graph.row(i)),
            s,
            1e-6 * largest(s),
          )
          s.set(flat(rows, (i) => graph.row(i)))

          const found = engine.neighbors(graph, all)
          const rank = rankRows(s, rows, k)
          expect(found.ranks()).toEqual(rank)

          const sets = extendedSets(rank, k, all.trust, all.overlap)
          expect(found.reciprocals()).toEqual(sets.map((set) => Uint32Array.from(set).sort()))

          const weights = neighborWeights(s, sets, all.weight, all.weightParameter)
          const v = expandWeights(weights, rank, all.kExp)
          for (const probe of new Set([0, rows >> 1, rows - 1])) {
            expectClose(found.jaccard(probe), jaccardTo(v, rows, probe), 1e-6)
          }
        },
      ),
      RUNS,
    )
  })

  test('ranks a thousand candidates, different or identical', () => {
    for (const { context, some, expected } of thousands) {
      expect(rowNeighbors(context, { ...some, kernel })).toEqual(expected)
    }
  })
})

describe.each(allKernels)('properties of %s', (kernel) => {
  test('ranks in geometric order for λ = 1', () => {
    fc.assert(
      fc.property(
        contexts(['integers', 'clustered'], { rows: 100, dimensions: 60 }),
        settings(),
        ({ context }, some) => {
          const { query, candidates } = splitContext(context)
          const { geometric } = rowSimilarity(context, [0], { ...some, kernel })
          const { order } = rerank(query, candidates, {
            ...some,
            kernel,
            lambda: 1,
            contextSize: 300,
          })
          const own = geometric[0]!.subarray(1)
          // What is constant but for rounding counts as constant in the standard mix.
          const lengths = rowsOf(context.data, context.rows, context.dimensions).map((row) =>
            some.metric === 'cosine' ? 1 : Math.hypot(...row),
          )
          const noise = some.mix === 'standard' ? 2e-6 * lengths[0]! * Math.max(...lengths) : 0
          if (own.length > 0 && Math.max(...own) - Math.min(...own) < noise) return
          const expected = Uint32Array.from(own.keys()).sort((a, b) => own[b]! - own[a]! || a - b)
          expect(order).toEqual(expected)
        },
      ),
      RUNS,
    )
  })

  test('computes exponential weights as exp(p · S) − 1 to six digits, however small S is', () => {
    const parts = [1, 0.9, 0.5, 0.25]
    const rows = parts.length
    const all = resolveSettings({ weight: 'exp', weightParameter: 2, k: rows, kExp: 1 })
    for (const size of [1e-20, 1e-12, 1e-6, 5.1e-4, 1e-3, 1, 40]) {
      const engine = createEngine(kernel)
      const s = flat(rows, (i) =>
        Float32Array.from(parts, (_, j) => size * parts[Math.abs(i - j)]!),
      )
      const found = engine.neighbors(engine.square(rows, { data: s, stride: rows }), all)
      for (let i = 0; i < rows; i++) {
        const powers = Array.from(s.subarray(i * rows, (i + 1) * rows), (x) => Math.expm1(2 * x))
        const sum = powers.reduce((a, b) => a + b)
        const { columns, weights } = found.vector(i)
        expect([...columns]).toEqual([0, 1, 2, 3])
        weights.forEach((weight, j) => {
          expect(Math.abs((weight * sum) / powers[j]! - 1)).toBeLessThan(3e-7)
        })
      }
    }
  })

  test('keeps s_J between 0 and 1, and at 1 for identical neighbor vectors', () => {
    fc.assert(
      fc.property(
        contexts(['integers', 'floats'], { rows: 80, dimensions: 40 }),
        settings(),
        ({ context }, some) => {
          const { jaccard } = rowSimilarity(context, [0], { ...some, kernel })
          for (const value of jaccard[0]!) expect(value >= 0 && value <= 1).toBe(true)
          const all = resolveSettings({ ...some, kernel })
          const engine = createEngine(kernel)
          const found = engine.neighbors(engine.gram(matrixRows(context, 'row')), all)
          const own = found.vector(0)
          const similar = found.jaccard(0)
          for (let c = 0; c < context.rows; c++) {
            const theirs = found.vector(c)
            const same =
              own.columns.length > 0 &&
              own.columns.join() === theirs.columns.join() &&
              own.weights.join() === theirs.weights.join()
            if (same) expect(similar[c]).toBe(1)
          }
        },
      ),
      RUNS,
    )
  })

  test('permutes the result if the candidates are shuffled', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 120 }),
        fc.integer({ min: 8, max: 90 }),
        fc.integer(),
        settings(),
        (rows, dimensions, seed, some) => {
          // No duplicates: without ties the order of the input cannot matter.
          const { query, candidates } = splitContext(
            makeContext('floats', rows, dimensions, { seed }),
          )
          const vectors = rowsOf(candidates.data, candidates.rows, dimensions)
          const shuffled = vectors.map((_, i) => (i * 7919 + 13) % vectors.length)
          if (new Set(shuffled).size < vectors.length) return
          const all = { ...some, kernel, contextSize: 300 }
          const before = rerank(query, vectors, all)
          const after = rerank(
            query,
            shuffled.map((i) => vectors[i]!),
            all,
          )
          expectClose(after.scores, before.scores, 1e-4 * Math.max(1, largest(before.scores)))
          const scoreOf = new Map([...before.order].map((c, i) => [c, before.scores[i]!]))
          after.order.forEach((c, i) => {
            const difference = Math.abs(scoreOf.get(shuffled[c]!)! - after.scores[i]!)
            expect(difference).toBeLessThanOrEqual(1e-4 * Math.max(1, largest(before.scores)))
          })
        },
      ),
      RUNS,
    )
  })

  test('ranks correctly while memory grows, and with two rerankers at once', () => {
    const small = splitContext(makeContext('clustered', 9, 3, { seed: 1 }))
    const large = splitContext(makeContext('clustered', 300, 801, { seed: 2 }))
    const first = new Reranker({ kernel, contextSize: 300, trust: 0.5 })
    const second = new Reranker({ kernel, contextSize: 300, trust: 0.5 })
    const [ofSmall, ofLarge] = [small, large].map(({ query, candidates }) =>
      new Reranker({ kernel, contextSize: 300, trust: 0.5 }).rerank(query, candidates),
    )
    for (const context of [small, large, small, large]) {
      const [other, own, others] =
        context === small ? [large, ofSmall, ofLarge] : [small, ofLarge, ofSmall]
      expect(first.rerank(context.query, context.candidates)).toEqual(own)
      expect(second.rerank(other.query, other.candidates)).toEqual(others)
    }
  })
})

test('carries the kernels that are compiled, the relaxed one with nops', () => {
  const file = (name: string) => readFileSync(new URL(`../dist/${name}.wasm`, import.meta.url))
  expect(Buffer.from(kernelBytes('simd')).equals(file('simd'))).toBe(true)
  const made = Buffer.from(kernelBytes('relaxed-simd')).toString('latin1')
  const compiled = file('relaxed-simd').toString('latin1')
  const fused = '\xfd\x85\x02'
  expect(made.split(fused)).toHaveLength(compiled.split(fused).length)
  const nops = '\x01'.repeat(3)
  const without = made.replaceAll(new RegExp(`${nops}(?= .${fused})`, 'gs'), '')
  // The lengths of the section and of the function differ.
  const differences = Array.from(compiled).filter((byte, i) => byte !== without[i])
  expect(without).toHaveLength(compiled.length)
  expect(differences.length).toBeLessThanOrEqual(4)
})

test('chooses the fastest kernel by default', () => {
  expect(defaultKernel()).toBe(process.env['KITH_KERNEL'] ?? allKernels[0])
})

test('uses the kernel in the settings', () => {
  const context = makeContext('floats', 40, 300, { seed: 3 })
  const rows = allKernels.map((kernel) =>
    rowSimilarity(context, [0], { kernel }).geometric[0]!.join(),
  )
  expect(new Set(rows).size).toBe(allKernels.length)
})

test.each(allKernels)('uses the kernel %s of the variable KITH_KERNEL', async (name) => {
  const built = new URL('../dist/index.js', import.meta.url).href
  const program = `
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(built)}).then(({ kernel }) => parentPort.postMessage(kernel()))`
  const env = { ...process.env, KITH_KERNEL: name }
  const [used] = await once(new Worker(program, { eval: true, env }), 'message')
  expect(used).toBe(name)
})

describe('the flags of V8 and the modules that a program compiles', () => {
  const call = `{ vector: [1, 0], text: 'bees' }, { vectors: [[1, 0], [0, 1]], texts: ['bees', 'wax'] }`

  test('KITH_KERNEL=simd leaves the flags alone, set by the program, too', () => {
    const lines = `process.env.KITH_KERNEL = 'simd'; rerank(${call}); kernel()`
    expect(flagsAndModules(lines)).toEqual({ flags: [], modules: 1 })
  })

  test('kernel: simd leaves the flags alone, with texts, tokenizing and statistics before', () => {
    const lines = `
      prepareText('bees and wax')
      const statistics = termStatistics(['bees', 'wax'])
      rerank(${call}, { kernel: 'simd', statistics })`
    expect(flagsAndModules(lines)).toEqual({ flags: [], modules: 1 })
  })

  test('the default kernel of a ranking counts its words', () => {
    expect(flagsAndModules(`rerank(${call})`).modules).toBe(1)
  })
})

/** The flags of V8 that a program sets, and how many modules it compiles. */
function flagsAndModules(lines: string): { flags: string[]; modules: number } {
  const built = new URL('../dist/index.js', import.meta.url).href
  const program = `
    import v8 from 'node:v8'
    import { kernel, prepareText, rerank, termStatistics } from ${JSON.stringify(built)}
    const flags = []
    const set = v8.setFlagsFromString
    v8.setFlagsFromString = (flag) => { flags.push(flag); set(flag) }
    let modules = 0
    WebAssembly.Module = class extends WebAssembly.Module {
      constructor(bytes) { super(bytes); modules++ }
    }
    ${lines}
    console.log(JSON.stringify({ flags, modules }))`
  const { KITH_KERNEL: _, ...env } = process.env
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    env,
  })
  return JSON.parse(output)
}

function flat(rows: number, rowOf: (i: number) => ArrayLike<number>): Float32Array {
  const all = new Float32Array(rows * rows)
  for (let i = 0; i < rows; i++) all.set(rowOf(i), i * rows)
  return all
}

function exactGram(data: Float32Array, rows: number, dimensions: number): Float64Array {
  return Float64Array.from({ length: rows * rows }, (_, at) => {
    const a = Math.floor(at / rows) * dimensions
    const b = (at % rows) * dimensions
    let sum = 0
    for (let j = 0; j < dimensions; j++) sum += data[a + j]! * data[b + j]!
    return sum
  })
}

function rowsOf(data: Float32Array, rows: number, dimensions: number): Float32Array[] {
  return Array.from({ length: rows }, (_, i) => data.slice(i * dimensions, (i + 1) * dimensions))
}

function largest(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}
