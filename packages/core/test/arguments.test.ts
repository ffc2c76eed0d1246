import { afterAll, describe, expect, test } from 'vitest'
import * as entry from '../src/index.ts'
import {
  distilTarget,
  extendRanking,
  injectGroundTruth,
  methods,
  resolveDistilSettings,
  resolveSettings,
  similaritySettings,
} from '../src/internal.ts'
import { moduleOf } from '../src/kernel/load.ts'

/** What programs call, and what the other packages do. */
const core = {
  ...entry,
  distilTarget,
  extendRanking,
  injectGroundTruth,
  methods,
  resolveDistilSettings,
  resolveSettings,
  similaritySettings,
}

const { KithError, prepareText, presets, Reranker, resolveMethodSettings, TrialContext } = core

// Calls of init change the kernel of the whole process, which other files share.
const usual = core.kernel()
afterAll(() => {
  if (usual !== 'typescript') core.init(moduleOf(usual)!, usual)
})

/** What a caller without types may pass instead. */
const wrong: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  'a number': 3,
  'a negative number': -1,
  NaN: Number.NaN,
  'an infinity': Infinity,
  'a string': 'abc',
  'an empty string': '',
  true: true,
  'a symbol': Symbol('x'),
  'a bigint': 1n,
  'a function': () => 1,
  'an object': {},
  'an object without a prototype': Object.create(null),
  'an empty array': [],
  'an array of undefined': [undefined],
  'an array of null': [null, null, null],
  'an array of symbols': [Symbol('x')],
  'an array of bigints': [1n],
  'an array of arrays': [[], []],
  'an array of strings': ['a', 'b', 'c'],
  'a date': new Date(0),
  'a map': new Map([[1, 2]]),
  'a Float32Array': new Float32Array(3),
  'an empty Float32Array': new Float32Array(0),
  'an Int8Array': new Int8Array(3),
  'a DataView': new DataView(new ArrayBuffer(8)),
  'a promise': Promise.resolve(1),
}

const query = { vector: [1, 2, 3], text: 'a word', views: { more: [1, 2] } }
const candidates = {
  vectors: [
    [1, 0, 2],
    [3, 1, 1],
    [0, 2, 2],
  ],
  texts: ['one word', prepareText('two words'), 'three'],
  views: {
    more: [
      [1, 1],
      [2, 1],
      [0, 1],
    ],
  },
}
const matrix = {
  ...{ data: Float32Array.of(1, 0, 2, 3, 1, 1, 0, 2, 2), rows: 3, dimensions: 3 },
  chosen: Uint32Array.of(0, 1, 2),
}
const inMatrix = { vectors: matrix, texts: candidates.texts }
const groundTruth = { candidates: [0], grades: [1] }
const weights = { graph: 1, score: 1 }
const settings = { k: 2, kernel: core.kernel(), views: { vectors: weights } }
const labelSettings = { ...settings, target: 'mixed', aggregate: 'max' }
const ranking = { order: Uint32Array.of(1, 0), scores: Float32Array.of(2, 1) }
const own = new Reranker()
const listOptions = {
  background: core.background(candidates.vectors),
  calibration: { a: 1, b: 0 },
  cutoff: { relevance: 0.5 },
  ...{ onTopic: 0.5, collapse: 0.95, groups: ['a', 'a', undefined], maxPerGroup: 1 },
  ...{ priors: [1, undefined, 0.5], priorWeight: 0.1, priorScale: 'standard' },
}
const trial = new TrialContext(query, candidates, 3)
const statistics = core.termStatistics(['one word', 'two words', 'three'])
const builder = new core.TermStatisticsBuilder()
const selection = new core.Selection(
  { text: 'two words' },
  { texts: candidates.texts, scores: [3, 2, 1] },
  { statistics, contextSize: 2 },
)

type Any = (...values: never[]) => unknown

/** Every function and method, with arguments that it takes. */
const table: Record<string, [Any, ...unknown[]]> = {
  rerank: [core.rerank, query, candidates, settings],
  similarity: [core.similarity, query, inMatrix, ['query', 1], settings],
  neighbors: [core.neighbors, query, inMatrix, settings],
  explain: [core.explain, query, candidates, 1, settings],
  smoothLabels: [core.smoothLabels, query, inMatrix, groundTruth, labelSettings],
  auditCandidates: [
    core.auditCandidates,
    query,
    candidates,
    [1, undefined, 0],
    { ...labelSettings, level: 1 },
  ],
  injectGroundTruth: [core.injectGroundTruth, [1], [1, 2, 3], 3],
  distilTarget: [core.distilTarget, [3, 2, 1], { depth: 2 }],
  resolveDistilSettings: [core.resolveDistilSettings, { depth: 2, sharpness: 3 }],
  kernel: [core.kernel],
  init: [core.init, moduleOf('simd'), 'simd'],
  background: [core.background, candidates.vectors, { seed: 1, sample: 2 }],
  recency: [core.recency, [new Date(0), 5, '2026-01-01', undefined], { halfLife: 30, now: 9 }],
  shortlist: [core.shortlist, query, candidates, listOptions],
  'shortlist, in a matrix': [core.shortlist, query, inMatrix, { ...listOptions, cutoff: 'auto' }],
  resolveSettings: [core.resolveSettings, settings, presets.balanced],
  resolveLabelSettings: [core.resolveLabelSettings, labelSettings, core.labelPresets.balanced],
  resolveMethodSettings: [resolveMethodSettings, { method: 'fusion' }, resolveMethodSettings()],
  similaritySettings: [core.similaritySettings, resolveMethodSettings()],
  prepareText: [prepareText, 'a text', { tokenizer: 'plural' }],
  termSpans: [core.termSpans, 'some words', 'english'],
  termStatistics: [
    core.termStatistics,
    ['one word', prepareText('two words')],
    { tokenizer: 'english' },
  ],
  mergeTermStatistics: [core.mergeTermStatistics, [statistics, statistics]],
  termStatisticsToBytes: [core.termStatisticsToBytes, statistics],
  termStatisticsFromBytes: [core.termStatisticsFromBytes, core.termStatisticsToBytes(statistics)],
  termStatisticsToJson: [core.termStatisticsToJson, statistics],
  termStatisticsFromJson: [core.termStatisticsFromJson, core.termStatisticsToJson(statistics)],
  TermStatisticsBuilder: [
    ((...given) => new core.TermStatisticsBuilder(...(given as [never]))) as Any,
    { tokenizer: 'none' },
  ],
  'TermStatisticsBuilder.add': [builder.add.bind(builder), 'some words'],
  'rerank, with statistics': [core.rerank, query, candidates, { statistics, contextSize: 2 }],
  'rerank, without vectors': [
    core.rerank,
    { text: 'two words' },
    { texts: candidates.texts, scores: [3, 2, undefined] },
  ],
  Selection: [
    ((...given) => new core.Selection(...(given as unknown as [never, never]))) as Any,
    { text: 'two words' },
    { texts: candidates.texts, scores: [3, 2, 1] },
    { statistics, contextSize: 2 },
  ],
  'Selection.rerank': [selection.rerank.bind(selection), [1, 2, 3], [[1, 2, 3], undefined]],
  extendRanking: [core.extendRanking, ranking, 4],
  Reranker: [((given) => new Reranker(given)) as Any, labelSettings],
  'Reranker.rerank': [own.rerank.bind(own), query, candidates, settings],
  'Reranker.similarity': [own.similarity.bind(own), query, candidates, ['query', 0], settings],
  'Reranker.neighbors': [own.neighbors.bind(own), query, candidates, settings],
  'Reranker.explain': [own.explain.bind(own), query, candidates, 0, settings],
  'Reranker.takeApart': [own.takeApart.bind(own), query, candidates, settings],
  'Reranker.smoothLabels': [
    own.smoothLabels.bind(own),
    query,
    candidates,
    groundTruth,
    labelSettings,
  ],
  TrialContext: [
    ((...given) =>
      new TrialContext(...(given as unknown as [never, never, never])).rerank()) as Any,
    query,
    candidates,
    50,
    core.kernel(),
  ],
  'TrialContext.rerank': [trial.rerank.bind(trial), { contextSize: 3, k: 2 }],
  ...Object.fromEntries(
    core.methods.map((method) => [
      `rerank, ${method}`,
      [core.rerank, query, candidates, { method }],
    ]),
  ),
}

/** A value with one of its parts replaced, for every part at any depth, and the value itself. */
function* replaced(value: unknown, by: unknown, path: string): Generator<[string, unknown]> {
  yield [path, by]
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  for (const [name, part] of Object.entries(value)) {
    for (const [where, other] of replaced(part, by, `${path}.${name}`)) {
      const copy: Record<string, unknown> = Array.isArray(value)
        ? (value.slice() as never)
        : { ...value }
      copy[name] = other
      yield [where, copy]
    }
  }
}

test('covers every function and class that the package exports, except for the error itself', () => {
  const exported = Object.entries(core)
    .filter(([, value]) => typeof value === 'function' && value !== KithError)
    .map(([name]) => name)
  expect(Object.keys(table)).toEqual(expect.arrayContaining(exported))
})

describe.each(Object.keys(table))('%s', (name) => {
  const [call, ...good] = table[name]!
  const run = (values: readonly unknown[]) => call(...(values as never[]))

  test('accepts its arguments', () => {
    expect(() => run(good)).not.toThrow()
  })

  test('returns a result or throws a KithError without arguments, or with fewer', () => {
    for (let count = 0; count < good.length; count++) {
      expectAnswer(() => run(good.slice(0, count)), `${count} arguments`)
    }
  })

  test('returns a result or throws a KithError if an argument or a part of it is wrong', () => {
    good.forEach((value, position) => {
      for (const [what, bad] of Object.entries(wrong)) {
        for (const [path, other] of replaced(value, bad, `argument ${position}`)) {
          expectAnswer(() => run(good.with(position, other)), `${path} is ${what}`)
        }
      }
    })
  })
})

test('uses the default if an optional argument is undefined', () => {
  expect(core.rerank(query, candidates, undefined)).toEqual(core.rerank(query, candidates))
  const labels = core.smoothLabels(
    query,
    candidates,
    { candidates: [1], grades: undefined },
    undefined,
  )
  expect(labels).toEqual(core.smoothLabels(query, candidates, { candidates: [1] }))
  const message = 'the ground truth must name at least one candidate, such as { candidates: [0] }'
  expect(() => core.smoothLabels(query, candidates, undefined as never)).toThrow(
    new KithError('BAD_INPUT', message),
  )
})

test('refuses a Proxy of a typed array, which has no length, as a vector and as a prepared text', () => {
  const vector = new Proxy(new Float32Array(3), {})
  const postings = new Proxy(new Uint32Array(3), {})
  const calls = [
    () => core.rerank(vector, candidates.vectors),
    () => core.rerank(query.vector, [vector]),
    () => core.rerank(query.vector, { data: vector, rows: 1, dimensions: 3 }),
    () => core.rerank(query, { vectors: [[1, 2, 3]], texts: [{ postings, tokenizer: 'english' }] }),
  ]
  for (const call of calls) expect(call).toThrow(KithError)
})

function expectAnswer(run: () => unknown, what: string): void {
  try {
    run()
  } catch (error) {
    if (error instanceof KithError && /^(?!kith: )\S/.test(error.message)) return
    expect.fail(`${what}: ${(error as Error)?.stack ?? String(error)}`)
  }
}
