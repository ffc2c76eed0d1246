import { Reranker, similarity } from '@kith/core'
import { evaluate, readQrels, readRun } from '@kith/ir'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { analyse } from '../page/model/analysis.ts'
import { code, commandLine } from '../page/model/copy.ts'
import {
  defaultSettings,
  methodSettings,
  type PageSettings,
  pagePresets,
  presetOf,
} from '../page/model/page-settings.ts'
import { QueryContext } from '../page/model/query-context.ts'
import { addressOf, type StudioState, stateFrom } from '../page/model/state.ts'
import { project } from '../page/neighbourhood/projection.ts'
import { StudioCollection } from '../src/index.ts'
import { type CollectionFiles, writeCollection } from './studio-files.ts'

const folder = temporaryFolder()
let files: CollectionFiles
let collection: StudioCollection
beforeAll(async () => {
  files = await writeCollection(folder)
  collection = await StudioCollection.open(files)
})
afterAll(() => collection.close())

const share = fc.integer({ min: 0, max: 100 }).map((value) => value / 100)
const settings: fc.Arbitrary<PageSettings> = fc.record({
  contextSize: fc.integer({ min: 1, max: 1000 }),
  k: fc.integer({ min: 1, max: 50 }),
  kExp: fc.integer({ min: 0, max: 20 }),
  trust: share,
  overlap: share,
  lambda: share,
  weight: fc.constantFrom('linear', 'exp', 'binary'),
  weightParameter: fc.integer({ min: 1, max: 200 }).map((value) => value / 10),
  rowScaling: fc.constantFrom('none', 'max', 'mean'),
  metric: fc.constantFrom('dot', 'cosine'),
  mix: fc.constantFrom('raw', 'standard'),
  textScore: share,
  textGraph: share,
})
const optionalId = fc.option(fc.string(), { nil: undefined })
const states: fc.Arbitrary<StudioState> = fc.record({
  view: fc.constantFrom('query', 'neighbourhood', 'labels', 'audit'),
  query: optionalId,
  probe: optionalId,
  truth: optionalId,
  settings,
  labels: fc.record({
    maxLabelled: fc.integer({ min: 1, max: 64 }),
    boost: fc.integer({ min: 1, max: 5000 }).map((value) => value / 1000),
    normalise: fc.constantFrom('maxmin', 'std', 'max', 'none'),
    normaliseOver: fc.constantFrom('context', 'kept'),
    aggregate: fc.constantFrom('mean', 'max', 'sum'),
  }),
})

describe('the address', () => {
  test('holds the whole state', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(stateFrom(addressOf(state))).toEqual(state)
      }),
    )
    expect(addressOf(stateFrom(''))).toBe('?')
  })

  test('whatever somebody writes into it, the settings are allowed ones', () => {
    const names = ['context', 'k', 'k-exp', 'trust', 'lambda', 'weight', 'mix', 'texts-weights']
    const values = fc.oneof(fc.string(), fc.double().map(String), fc.constant('1e999'))
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), values), (given) => {
        const { settings, view } = stateFrom(`?${new URLSearchParams(given)}`)
        expect(view).toBe('query')
        // Refuses settings out of their range.
        new Reranker(methodSettings(settings, true))
      }),
    )
    expect(stateFrom('?k=0&lambda=NaN&trust=&mix=none').settings).toEqual(defaultSettings)
  })

  test('presets are known again', () => {
    for (const [name, preset] of Object.entries(pagePresets)) {
      expect(presetOf({ ...preset })).toBe(name)
    }
    expect(presetOf({ ...defaultSettings, k: 11 })).toBeUndefined()
  })
})

describe('the figures', () => {
  test('the page measures nDCG@10 as kith eval does, in the order of the run', async () => {
    const [qrels, run] = [await readQrels(files.qrels), await readRun(files.run)]
    const { queries, perQuery } = evaluate(qrels, run, ['nDCG@10'])
    expect(queries).toHaveLength(7)
    queries.forEach((query, i) => {
      const context = new QueryContext(collection.context(query, 60, false))
      const { measure } = analyse(context, { ...defaultSettings, contextSize: 60 })
      // Where nothing is relevant the page shows no figure.
      expect(measure?.before ?? 0).toBe(perQuery['nDCG@10']![i]!)
    })
    expect(perQuery['nDCG@10']!.some((value) => value > 0)).toBe(true)
  })

  test('the two parts of a score are λ·z(g) and (1 − λ)·z(s_J), and add up to it', () => {
    const context = new QueryContext(collection.context('q1', 60, false))
    for (const mix of ['standard', 'raw'] as const) {
      const page = { ...defaultSettings, contextSize: 40, lambda: 0.6, mix }
      const { scores, geometric, jaccard } = analyse(context, page)
      const method = methodSettings(page, true)
      const words = mix === 'standard'
      const asked = context.query(words)
      const found = similarity(asked, context.first(40, words), ['query'], method)[0]!
      scores.forEach((score, document) => {
        expect(geometric[document]! + jaccard[document]!).toBeCloseTo(score, 5)
        expect(score).toBeCloseTo(found.mixed.toCandidates[document]!, 5)
        if (mix === 'standard') return
        expect(jaccard[document]!).toBeCloseTo(0.4 * found.jaccard.toCandidates[document]!, 5)
        expect(geometric[document]!).toBeCloseTo(0.6 * found.geometric.toCandidates[document]!, 5)
      })
      if (mix === 'raw') continue
      const deviation = Math.sqrt(jaccard.reduce((sum, value) => sum + value ** 2, 0) / 40)
      expect(deviation).toBeCloseTo(0.4, 4)
    }
  })
})

describe('what is copied', () => {
  test('the command has the files and what differs from the default, safe for a shell', () => {
    const state = stateFrom('?k=12&texts-weights=0.1,0.4')
    const info = {
      ...collection.info,
      level: 2,
      files: { ...files, run: "it's a run.trec", corpus: 'c.jsonl', queryText: 'q.jsonl' },
    }
    expect(commandLine(state, info)).toBe(
      `kith rerank --run 'it'\\''s a run.trec' --queries ${files.queries} --docs ${files.docs} ` +
        `--corpus c.jsonl --query-text q.jsonl --qrels ${files.qrels} --k 12 --texts-weights 0.1,0.4 --out better.trec`,
    )
    expect(commandLine({ ...state, view: 'labels' }, info)).toContain('--level 2')
    expect(commandLine({ ...state, view: 'audit' }, info)).toMatch(/^kith audit /)
    const raw = commandLine(stateFrom('?mix=raw&texts-weights=0.1,0.4'), info)
    expect(raw).not.toContain('--corpus')
    expect(raw).not.toContain('--texts-weights')
  })

  test('the code is a call with what differs', () => {
    const { info } = collection
    expect(code(defaultSettings, info)).toContain('rerank({ vector, text }, { vectors, texts })')
    expect(code({ ...defaultSettings, k: 12, textScore: 0.1 }, info)).toContain(
      'k: 12,\n  views: {\n    vectors: { score: 0.9, graph: 0.7 },\n    texts: { score: 0.1, graph: 0.3 },',
    )
    expect(code({ ...defaultSettings, mix: 'raw' }, info)).toContain(
      "rerank(vector, vectors, {\n  mix: 'raw',\n})",
    )
  })
})

describe('the projection', () => {
  test('keeps clusters together, always in the same way', () => {
    const vectors = Array.from({ length: 60 }, (_, i) =>
      Float32Array.from({ length: 16 }, (_, j) => (j === i % 3 ? 4 : 0) + Math.sin(i * 7 + j * 3)),
    )
    const places = project(vectors)
    expect(project(vectors)).toEqual(places)
    expect(Math.max(...places)).toBeCloseTo(1, 5)
    expect(Math.min(...places)).toBeCloseTo(-1, 5)
    const distance = (a: number, b: number): number =>
      Math.hypot(places[2 * a]! - places[2 * b]!, places[2 * a + 1]! - places[2 * b + 1]!)
    const mean = (same: boolean): number => {
      const found: number[] = []
      for (let a = 0; a < 60; a++) {
        for (let b = 0; b < a; b++) if ((a % 3 === b % 3) === same) found.push(distance(a, b))
      }
      return found.reduce((sum, value) => sum + value, 0) / found.length
    }
    expect(mean(true)).toBeLessThan(0.6 * mean(false))
  })

  test('no place is NaN, whatever the vectors', () => {
    const strange = [
      [],
      [[1, 2]],
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
      [[1], [2], [3]],
      Array.from({ length: 5 }, () => [1, 1, 1]),
    ]
    for (const vectors of strange) {
      const places = project(vectors)
      expect(places).toHaveLength(2 * vectors.length)
      expect(places.every(Number.isFinite)).toBe(true)
    }
  })
})
