import { explain, Reranker, rerank, similarity, termStatistics } from '@kith/core'
import { tokenizerNames } from '@kith/core/internal'
import { evaluate, readQrels, readRun } from '@kith/ir'
import { TextStore } from '@kith/ir/internal'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { analyze } from '../page/model/analysis.ts'
import { code, commandLine } from '../page/model/copy.ts'
import {
  changed,
  defaultSettings,
  methodSettings,
  mixOf,
  type PageSettings,
  pagePresets,
  presetOf,
} from '../page/model/page-settings.ts'
import { QueryContext } from '../page/model/query-context.ts'
import { addressOf, type StudioState, stateFrom } from '../page/model/state.ts'
import { project } from '../page/neighborhood/projection.ts'
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
/** Two shares that leave something for the rest, or nothing. */
const shares = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }))
  .map(([a, b]) => ({ neighborWeight: a / 100, supportWeight: Math.min(b, 100 - a) / 100 }))
const others = fc.record({
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
  mix: fc.constantFrom('raw', 'standard', 'words'),
  textScore: share,
  textGraph: share,
  tokenizer: fc.constantFrom(...tokenizerNames),
  statistics: fc.constantFrom('corpus', 'candidates'),
  bm25Weight: share,
  k1: fc.integer({ min: 0, max: 60 }).map((value) => value / 20),
  b: share,
  supportDocs: fc.integer({ min: 0, max: 30 }),
  windowWeight: share,
  windowTerms: fc.integer({ min: 1, max: 50 }),
  titleWeight: share,
  preselect: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
})
const settings: fc.Arbitrary<PageSettings> = fc
  .tuple(others, shares)
  .map(([other, two]) => ({ ...other, ...two }))
const optionalId = fc.option(fc.string(), { nil: undefined })
const states: fc.Arbitrary<StudioState> = fc.record({
  view: fc.constantFrom('query', 'neighborhood', 'labels', 'audit'),
  query: optionalId,
  text: optionalId,
  probe: optionalId,
  truth: optionalId,
  settings,
  labels: fc.record({
    labelDepth: fc.integer({ min: 1, max: 64 }),
    boost: fc.integer({ min: 1, max: 5000 }).map((value) => value / 1000),
    normalize: fc.constantFrom('maxmin', 'std', 'max', 'none'),
    normalizeOver: fc.constantFrom('context', 'kept'),
    aggregate: fc.constantFrom('mean', 'max', 'sum'),
  }),
})

describe('the address of the page', () => {
  test('contains the whole state', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(stateFrom(addressOf(state))).toEqual(state)
      }),
    )
    expect(addressOf(stateFrom(''))).toBe('?')
  })

  test('yields allowed settings for any contents', () => {
    const names = [
      ...[
        'contextSize',
        'k',
        'kExp',
        'trust',
        'lambda',
        'weight',
        'mix',
        'views.texts.score',
        'views.texts.graph',
      ],
      ...[
        'tokenizer',
        'no-term-statistics',
        'bm25Weight',
        'neighborWeight',
        'supportWeight',
        'preselect',
      ],
    ]
    const values = fc.oneof(fc.string(), fc.double().map(String), fc.constant('1e999'))
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), values), (given) => {
        const { settings, view } = stateFrom(`?${new URLSearchParams(given)}`)
        expect(view).toBe('query')
        // Refuses settings out of their range.
        new Reranker(methodSettings(settings, { texts: true }))
        expect(['corpus', 'candidates']).toContain(settings.statistics)
      }),
    )
    const wrong = '?k=0&lambda=NaN&trust=&mix=none&tokenizer=klingon&preselect=-1'
    expect(stateFrom(wrong).settings).toEqual(defaultSettings)
    // One alone may be high where the other is low.
    expect(stateFrom('?neighborWeight=0.9&supportWeight=0.2').settings).toEqual(defaultSettings)
    const high = { neighborWeight: 0.9, supportWeight: 0.1 }
    expect(stateFrom('?neighborWeight=0.9&supportWeight=0.1').settings).toMatchObject(high)
  })

  test('yields the preset of its settings', () => {
    for (const [name, preset] of Object.entries(pagePresets)) {
      expect(presetOf({ ...preset })).toBe(name)
    }
    expect(presetOf({ ...defaultSettings, k: 11 })).toBeUndefined()
    expect(presetOf({ ...defaultSettings, preselect: 100 })).toBeUndefined()
    expect(presetOf({ ...defaultSettings, statistics: 'candidates' })).toBeUndefined()
  })
})

describe('settings of the page', () => {
  test('lower neighborWeight or supportWeight when the other rises', () => {
    const moved = changed(defaultSettings, { neighborWeight: 0.95 })
    expect(moved).toMatchObject({ neighborWeight: 0.95, supportWeight: 0.05 })
    expect(changed(moved, { supportWeight: 0.3 })).toMatchObject({
      neighborWeight: 0.7,
      supportWeight: 0.3,
    })
    expect(changed(moved, { k: 3 })).toEqual({ ...moved, k: 3 })
  })

  test('use the standard mix without texts and for labels', () => {
    expect(mixOf(defaultSettings, { texts: true })).toBe('words')
    expect(mixOf(defaultSettings, { texts: false })).toBe('standard')
    expect(mixOf(defaultSettings, { texts: true, labels: true })).toBe('standard')
    expect(mixOf(pagePresets['msmarco-tas-b'], { texts: true })).toBe('raw')
  })
})

describe('rankings and figures of the page', () => {
  test('measure nDCG@10 as kith eval does, in the order of the run', async () => {
    const [qrels, run] = [await readQrels(files.qrels), await readRun(files.run)]
    const { queries, perQuery } = evaluate(qrels, run, ['nDCG@10'])
    expect(queries).toHaveLength(7)
    queries.forEach((query, i) => {
      const context = new QueryContext(collection.context(query, 60, false))
      const { measure } = analyze(context, { ...defaultSettings, contextSize: 60 })
      // Where nothing is relevant the page shows no figure.
      expect(measure?.before ?? 0).toBe(perQuery['nDCG@10']![i]!)
    })
    expect(perQuery['nDCG@10']!.some((value) => value > 0)).toBe(true)
  })

  test('open on the query with the largest gain', () => {
    const gains = collection.judged().map((id) => {
      const context = new QueryContext(
        collection.context(id, 200, false),
        collection.statistics('english'),
      )
      const { before, after } = analyze(context, defaultSettings).measure ?? { before: 0, after: 0 }
      return after - before
    })
    const best = gains.indexOf(Math.max(...gains))
    expect(gains[best]).toBeGreaterThan(gains[0]!)
    expect(collection.info.first).toBe(collection.judged()[best])
  })

  test('equal rerank, with the statistics of all texts or of the context', async () => {
    await using texts = await TextStore.open(files.corpus)
    const all = [...texts].map(({ text }) => text)
    const source = collection.context('q3', 1000, false)
    const asked = { ...new QueryContext(source).query(undefined), text: source.query.text! }
    const { vectors } = new QueryContext(source).candidates(undefined)
    const candidates = { vectors, texts: source.documents.map(({ text }) => text!) }
    const orders = tokenizerNames.map((tokenizer) => {
      const counted = collection.statistics(tokenizer)
      expect(counted).toEqual(termStatistics(all, { tokenizer }))
      const context = new QueryContext(source, counted)
      const page = { ...defaultSettings, tokenizer }
      const { order, size } = analyze(context, page)
      expect(order).toEqual(rerank(asked, candidates, { tokenizer, statistics: counted }).order)
      // The preselection brings documents in that the run has behind the context.
      expect(order.subarray(0, size).some((document) => document >= size)).toBe(true)
      const alone = analyze(context, { ...page, statistics: 'candidates' })
      expect(alone.order).toEqual(rerank(asked, candidates, { tokenizer }).order)
      expect(alone.order).not.toEqual(order)
      return order
    })
    expect(orders[0]).not.toEqual(orders[3])
    const first = analyze(new QueryContext(source), pagePresets['balanced-1'])
    const expected = rerank(asked, candidates, { mix: 'standard', tokenizer: 'none' })
    expect(first.order).toEqual(expected.order)
  })

  test('split scores as explain does, into parts that add up', () => {
    const source = collection.context('q1', 300, false)
    const context = new QueryContext(source, collection.statistics('english'))
    for (const statistics of ['corpus', 'candidates'] as const) {
      for (const mix of ['words', 'standard'] as const) {
        const page: PageSettings = {
          ...defaultSettings,
          contextSize: 40,
          lambda: 0.6,
          mix,
          statistics,
        }
        const { scores, parts, size } = analyze(context, page)
        expect([size, parts.size]).toEqual([40, 40])
        const { query, candidates, settings } = context.ranking(page)
        for (const [document, part] of parts) {
          const { similarity, words, neighbors, support } = part
          expect(similarity + words + neighbors + support).toBeCloseTo(scores[document]!, 5)
          if (mix === 'standard') expect([words, support]).toEqual([0, 0])
        }
        const [some] = parts.keys()
        const own = explain(query, candidates, some!, settings)
        expect(parts.get(some!)).toEqual(own.parts)
      }
    }
  })

  test('split a raw mix into λ·S and (1 − λ)·s_J', () => {
    const context = new QueryContext(collection.context('q1', 60, false))
    const page = { ...defaultSettings, contextSize: 40, lambda: 0.6, mix: 'raw' as const }
    const { parts } = analyze(context, page)
    const { query, settings } = context.ranking(page)
    const first = context.of(Array(40).keys(), undefined)
    const { geometric, jaccard } = similarity(query, first, ['query'], settings)[0]!
    expect(parts.size).toBe(40)
    for (const [document, part] of parts) {
      expect(part.neighbors).toBeCloseTo(0.4 * jaccard.toCandidates[document]!, 5)
      expect(part.similarity).toBeCloseTo(0.6 * geometric.toCandidates[document]!, 5)
    }
  })
})

describe('copied text', () => {
  test('is a command with the files and the settings that differ from the default, quoted for a shell', () => {
    const state = stateFrom('?k=12&views.texts.score=0.1&views.texts.graph=0.4')
    const info = { ...collection.info, level: 2 }
    const named = { ...files, run: "it's a run.trec", corpus: 'c.jsonl', queryText: 'q.jsonl' }
    expect(commandLine(state, info, named)).toBe(
      `kith rerank --run 'it'\\''s a run.trec' --queries ${files.queries} --docs ${files.docs} ` +
        `--corpus c.jsonl --query-text q.jsonl --qrels ${files.qrels} --set k=12 --set views.texts.graph=0.4 --out better.trec`,
    )
    const first = commandLine(
      stateFrom('?mix=standard&views.texts.score=0.1&views.texts.graph=0.4&bm25Weight=1'),
      info,
      named,
    )
    expect(first).toContain(
      '--set mix=standard --set views.texts.score=0.1 --set views.texts.graph=0.4 --out',
    )
    const alone = commandLine(
      stateFrom('?no-term-statistics=&tokenizer=plural&preselect=100'),
      info,
      named,
    )
    expect(alone).toContain(
      '--set tokenizer=plural --set preselect=100 --term-statistics none --out',
    )
    const labels = commandLine({ ...stateFrom('?bm25Weight=1&k=3'), view: 'labels' }, info, named)
    expect(labels).not.toContain('bm25Weight')
    expect(labels).toContain('--set k=3')
    expect(commandLine({ ...state, view: 'labels' }, info, named)).toContain('--level 2')
    expect(commandLine({ ...state, view: 'audit' }, info, named)).toMatch(/^kith audit /)
    const raw = commandLine(
      stateFrom('?mix=raw&views.texts.score=0.1&views.texts.graph=0.4'),
      info,
      named,
    )
    expect(raw).not.toContain('--corpus')
    expect(raw).not.toContain('views.texts')
  })

  test('is a call with the settings that differ', () => {
    const { info } = collection
    expect(code(defaultSettings, info)).toBe(
      `import { rerank, termStatistics } from '@kith/core'\n\n` +
        '// Once, from the texts of all documents.\n' +
        'const statistics = termStatistics(collection)\n' +
        'const { order, scores } = rerank({ vector, text }, { vectors, texts }, {\n  statistics,\n})\n',
    )
    const context = { ...defaultSettings, statistics: 'candidates' as const }
    expect(code(context, info)).toContain('rerank({ vector, text }, { vectors, texts })')
    expect(code({ ...defaultSettings, tokenizer: 'plural' }, info)).toContain(
      "termStatistics(collection, { tokenizer: 'plural' })",
    )
    expect(code({ ...context, k: 12, textGraph: 0.4 }, info)).toContain(
      'k: 12,\n  views: {\n    vectors: { score: 1, graph: 0.6 },\n    texts: { score: 0, graph: 0.4 },',
    )
    expect(code({ ...pagePresets['balanced-1'], textScore: 0.1 }, info)).toContain(
      "mix: 'standard',\n  tokenizer: 'none',\n  views: {\n    vectors: { score: 0.9, graph: 0.7 },",
    )
    expect(code({ ...defaultSettings, mix: 'raw' }, info)).toContain(
      "rerank(vector, vectors, {\n  mix: 'raw',\n})",
    )
  })
})

describe('the projection', () => {
  test('keeps clusters together, and is deterministic', () => {
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

  test('contains no NaN for any vectors', () => {
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
