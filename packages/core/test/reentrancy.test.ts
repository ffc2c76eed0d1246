import { describe, expect, test } from 'vitest'
import { thorough } from '../../../test/thorough.ts'
import {
  type Candidates,
  explain,
  type GroundTruth,
  type KernelName,
  type Member,
  neighbors,
  prepareText,
  type Query,
  Reranker,
  rerank,
  resolveLabelSettings,
  resolveMethodSettings,
  similarity,
  smoothLabels,
  TrialContext,
} from '../src/index.ts'
import { allKernels, random } from './support.ts'

/** What every entry point is called with. */
interface Inputs {
  query: Query
  candidates: Candidates
  groundTruth: GroundTruth
  probes: readonly Member[]
  settings: object
}

const reranker = new Reranker()
const texts = [
  'one row of words',
  'another row',
  'words and rows',
  'nothing',
  'une rangée',
  'a row',
]

/** Plain inputs; rows beyond six make the kernels' memory grow. */
function inputsOf(kernel: KernelName, seed: number, rows = 6): Inputs {
  const next = random(seed)
  const vector = () => Array.from({ length: 5 }, () => next() - 0.3)
  const vectors = Array.from({ length: rows }, vector)
  const second = Array.from({ length: rows }, vector)
  const words = vectors.map((_, i) => {
    const text = `${texts[(i + seed) % texts.length]} ${i}`
    return i % 2 === 0 ? text : prepareText(text)
  })
  const views = { vectors: { graph: 0.5, score: 0.5 }, texts: { graph: 0.2, score: 0.3 } }
  return {
    query: { vector: vectors[0]!, text: words[0]!, views: { second: second[0]! } },
    candidates: {
      vectors: vectors.slice(1),
      texts: words.slice(1),
      views: { second: second.slice(1) },
    },
    groundTruth: { candidates: [0, 2], grades: [2, 1] },
    probes: ['query', 1],
    settings: { kernel, k: 3, views: { ...views, second: { graph: 0.3, score: 0.2 } } },
  }
}

/** Every way into the kernels' memory. */
const calls: Record<string, (inputs: Inputs) => unknown> = {
  rerank: ({ query, candidates, settings }) => rerank(query, candidates, settings),
  similarity: ({ query, candidates, probes, settings }) =>
    similarity(query, candidates, probes, settings),
  neighbors: ({ query, candidates, settings }) => neighbors(query, candidates, settings),
  explain: ({ query, candidates, settings }) => explain(query, candidates, 1, settings),
  smoothLabels: ({ query, candidates, groundTruth, settings }) =>
    smoothLabels(query, candidates, groundTruth, settings),
  'smoothLabels, joint': ({ query, candidates, groundTruth, settings }) =>
    smoothLabels(
      query,
      candidates,
      groundTruth,
      resolveLabelSettings({ ...settings, target: 'joint' }),
    ),
  'smoothLabels, uniform': ({ query, candidates, groundTruth, settings }) =>
    smoothLabels(query, candidates, groundTruth, { ...settings, target: 'uniform' }),
  'rerank, fusion': ({ query, candidates, settings }) =>
    rerank(query, candidates, resolveMethodSettings({ ...settings, method: 'fusion' })),
  'rerank, neighbor-rrf': ({ query, candidates }) =>
    rerank(query, candidates, { method: 'neighbor-rrf' }),
  'rerank, rocchio': ({ query, candidates }) => rerank(query, candidates, { method: 'rocchio' }),
  'a Reranker': ({ query, candidates, settings }) =>
    new Reranker(settings).rerank(query, candidates),
  'one Reranker': (inputs) => [
    reranker.rerank(inputs.query, inputs.candidates, inputs.settings),
    reranker.similarity(inputs.query, inputs.candidates, inputs.probes, inputs.settings),
    reranker.neighbors(inputs.query, inputs.candidates, inputs.settings),
    reranker.explain(inputs.query, inputs.candidates, 0, inputs.settings),
    reranker.smoothLabels(inputs.query, inputs.candidates, inputs.groundTruth, inputs.settings),
  ],
  'a TrialContext': ({ query, candidates, settings }) => {
    const { kernel, ...rest } = settings as { kernel: KernelName }
    const trial = new TrialContext(query, candidates, 50, kernel)
    return [trial.rerank(rest), trial.rerank({ ...rest, contextSize: 3 })]
  },
}

/** The same inputs, which interrupt whoever reads any property of any of them, to any depth. */
function interrupting<T>(value: T, interrupt: () => void): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  return new Proxy(value, {
    get(target, name, receiver) {
      interrupt()
      return interrupting(Reflect.get(target, name, receiver), interrupt)
    },
    has(target, name) {
      interrupt()
      return Reflect.has(target, name)
    },
    ownKeys(target) {
      interrupt()
      return Reflect.ownKeys(target)
    },
    getOwnPropertyDescriptor(target, name) {
      interrupt()
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
  })
}

/** What each entry point makes of other inputs than the tests' own, on each kernel. */
const interruptions = new Map(
  allKernels.map((kernel) => {
    const inputs = { small: inputsOf(kernel, 2, 5), large: inputsOf(kernel, 3, 24) }
    const expected = Object.entries(calls).map(([name, call]) => {
      const of = { small: shown(call(inputs.small)), large: shown(call(inputs.large)) }
      return [name, of] as const
    })
    return [kernel, { inputs, expected: new Map(expected) }] as const
  }),
)

/** A result as text: its comparison takes a tenth of the time that comparing each part takes. */
function shown(result: unknown): string {
  return JSON.stringify(result, (_, value) => (Number.isNaN(value) ? 'NaN' : value))
}

/** Interrupts one of `every` reads with each entry point in turn, on other inputs. */
function interruption(kernel: KernelName, every = 1) {
  const names = Object.keys(calls)
  const { inputs, expected } = interruptions.get(kernel)!
  let count = 0
  let reads = 0
  let inside = false
  const interrupt = (): void => {
    if (inside || reads++ % every > 0) return
    inside = true
    const name = names[count % names.length]!
    const size = count % 7 === 0 ? 'large' : 'small'
    expect(shown(calls[name]!(inputs[size]))).toBe(expected.get(name)![size])
    inside = false
    count++
  }
  return { interrupt, count: () => count }
}

describe.each(allKernels)('inputs whose getters call Kith again, on %s', (kernel) => {
  test.each(Object.keys(calls))('%s', (name) => {
    const call = calls[name]!
    const inputs = inputsOf(kernel, 1)
    const expected = call(inputs)
    const { interrupt, count } = interruption(kernel, thorough ? 1 : 4)
    expect(call(interrupting(inputs, interrupt))).toEqual(expected)
    expect(count()).toBeGreaterThan(5)
    // Memory lent to the inner calls has come back in order.
    expect(call(inputs)).toEqual(expected)
  })

  test('rerank reads a matrix with getters, numbers with valueOf, and a prepared text with getters', () => {
    const { interrupt, count } = interruption(kernel)
    const plain = { vector: [1, 2, 3], text: 'some words' }
    const data = Float32Array.of(1, 0, 2, 3, 1, 1, 0, 2, 2)
    const prepared = prepareText('some words')
    const all = ['words', prepared, 'other words']
    const settings = { kernel }
    const matrix = { data, rows: 3, dimensions: 3 }
    const expected = rerank(plain, { vectors: matrix, texts: all }, settings)
    const number = (value: number) => ({
      valueOf() {
        interrupt()
        return value
      },
    })
    const query = { vector: plain.vector.map(number), text: plain.text } as unknown as Query
    const getters = {
      get data() {
        interrupt()
        return data
      },
      get rows() {
        interrupt()
        return 3
      },
      get dimensions() {
        interrupt()
        return 3
      },
    }
    const text = {
      get postings() {
        interrupt()
        return prepared.postings
      },
      get positions() {
        interrupt()
        return prepared.positions
      },
      get titleTerms() {
        interrupt()
        return prepared.titleTerms
      },
      get tokenizer() {
        interrupt()
        return prepared.tokenizer
      },
    }
    const actual = rerank(query, { vectors: getters, texts: ['words', text, all[2]!] }, settings)
    expect(actual).toEqual(expected)
    expect(count()).toBe(10)
  })

  test('rerank can use its memory again after a getter has thrown', () => {
    const inputs = inputsOf(kernel, 4)
    const expected = rerank(inputs.query, inputs.candidates, inputs.settings)
    const broken = interrupting(inputs, () => {
      throw new RangeError('no such row')
    })
    expect(() => rerank(inputs.query, broken.candidates, inputs.settings)).toThrow(RangeError)
    expect(rerank(inputs.query, inputs.candidates, inputs.settings)).toEqual(expected)
  })

  test('TrialContext ranks correctly if its own vectors call it again', () => {
    const inputs = inputsOf(kernel, 5)
    const { kernel: _, ...rest } = inputs.settings as { kernel: KernelName }
    const expected = new TrialContext(inputs.query, inputs.candidates, 10, kernel).rerank(rest)
    let trial: TrialContext | undefined
    const inner: unknown[] = []
    const again = interrupting(inputs, () => {
      if (!trial) return
      const own = trial
      trial = undefined
      inner.push(own.rerank(rest))
    })
    trial = new TrialContext(again.query, again.candidates, 10, kernel)
    expect(trial.rerank(rest)).toEqual(expected)
    expect(inner).toEqual([expected])
  })
})
