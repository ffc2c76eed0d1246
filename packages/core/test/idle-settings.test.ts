import { describe, expect, test } from 'vitest'
import {
  auditCandidates,
  explain,
  labelPresets,
  neighbors,
  type PartialLabelSettings,
  type PartialMethodSettings,
  type PartialRerankerSettings,
  presets,
  Reranker,
  rerank,
  resolveLabelSettings,
  resolveMethodSettings,
  similarity,
  smoothLabels,
} from '../src/index.ts'
import { labelTable, methodTable } from '../src/internal.ts'
import { resolveSettings } from '../src/settings/settings.ts'

const vectors = [
  [1, 0.2],
  [0.9, 0.4],
  [0.1, 1],
]
const plain = { query: [1, 0], candidates: vectors }
const worded = {
  query: { vector: [1, 0], text: 'bees' },
  candidates: { vectors, texts: ['bees', 'wasps', 'bees and wasps'] },
}

const refused: [string, typeof plain | typeof worded, PartialMethodSettings, string][] = [
  [
    'lambda with texts',
    worded,
    { lambda: 0.5 },
    "it needs mix 'raw' or 'standard' with texts, not 'words'",
  ],
  ['bm25Weight without texts', plain, { bm25Weight: 0.5 }, 'it needs texts'],
  ['preselect without texts', plain, { preselect: 0 }, 'it needs texts'],
  ['tokenizer without texts', plain, { tokenizer: 'none' }, 'it needs texts'],
  ['k1 with mix standard', worded, { k1: 1, mix: 'standard' }, "it needs mix 'words'"],
  ['feedbackDocs with neighbors', plain, { feedbackDocs: 2 }, "method 'neighbors' does not use it"],
  ['k with rocchio', plain, { method: 'rocchio', k: 2 }, "method 'rocchio' does not use it"],
]

test.each(refused)('rerank refuses %s', (_, { query, candidates }, settings, reason) => {
  const name = Object.keys(settings).find((one) => one !== 'method')!
  expect(() => rerank(query, candidates, settings)).toThrow(`setting ${name} has no effect: `)
  expect(() => rerank(query, candidates, settings)).toThrow(reason)
  // Its default does not count as set, whoever names it.
  expect(() => rerank(query, candidates, { ...settings, [name]: undefined })).not.toThrow()
})

test('a Reranker refuses settings that no call uses with any inputs', () => {
  const refuses: [PartialRerankerSettings, string][] = [
    [
      { windowTerms: 4, windowWeight: 0 },
      'windowTerms has no effect: it needs windowWeight above 0',
    ],
    [{ k1: 1, mix: 'standard' }, "k1 has no effect: it needs mix 'words', not 'standard'"],
    [{ feedbackDocs: 2 }, "feedbackDocs has no effect: method 'neighbors' does not use it"],
    [{ epsilon: 0.1 }, "epsilon has no effect: it needs target 'uniform', not 'mixed'"],
    [{ overlap: 0.5 }, 'overlap has no effect: it needs trust above 0, not 0'],
  ]
  for (const [settings, reason] of refuses) {
    expect(() => new Reranker(settings)).toThrow(`setting ${reason}`)
  }
})

test('a Reranker takes settings that only some of its calls use', () => {
  const taken: PartialRerankerSettings[] = [
    ...[{ lambda: 0.5 }, { bm25Weight: 0.5 }, { preselect: 0 }, { tokenizer: 'none' as const }],
    // Labels and similarities have neighbors, though the ranking has none.
    ...[{ method: 'rocchio' as const, k: 2 }, { k: 2, neighborWeight: 0 }, { boost: 2 }],
  ]
  for (const settings of taken) expect(() => new Reranker(settings)).not.toThrow()
})

test('similarity and neighbors refuse as well', () => {
  const probes = ['query'] as const
  expect(() => similarity(worded.query, worded.candidates, probes, { k1: 1 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('k1') }),
  )
  expect(() => neighbors(plain.query, plain.candidates, { lambda: 0.5 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('lambda') }),
  )
  const rocchio = new Reranker({ method: 'rocchio' })
  expect(() => rocchio.neighbors(plain.query, plain.candidates, { k: 2 })).not.toThrow()
  expect(() => neighbors(plain.query, plain.candidates, { ...presets.balanced })).not.toThrow()
})

test('rerank accepts a setting that its inputs use', () => {
  expect(() => rerank(plain.query, plain.candidates, { lambda: 0.5 })).not.toThrow()
  expect(() => rerank(worded.query, worded.candidates, { bm25Weight: 0.5, k1: 1 })).not.toThrow()
  expect(() =>
    rerank(worded.query, worded.candidates, { lambda: 0.5, mix: 'standard' }),
  ).not.toThrow()
})

test('explain, smoothLabels and auditCandidates refuse settings without effect', () => {
  expect(() => explain(worded.query, worded.candidates, 0, { lambda: 0.5 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('lambda') }),
  )
  const truth = { candidates: [0] }
  const label = (settings: PartialLabelSettings) => () =>
    smoothLabels(plain.query, plain.candidates, truth, settings)
  expect(label({ bm25Weight: 0.5 })).toThrow(
    expect.objectContaining({
      code: 'BAD_SETTING',
      message: expect.stringContaining('bm25Weight'),
    }),
  )
  expect(label({ epsilon: 0.1 })).toThrow(
    "setting epsilon has no effect: it needs target 'uniform', not 'mixed'",
  )
  expect(label({ target: 'joint', lambda: 0.2 })).toThrow(
    "target 'mixed' or 'uniform', not 'joint'",
  )
  expect(label({ target: 'uniform', epsilon: 0.1 })).not.toThrow()
  const audit = () => auditCandidates(plain.query, plain.candidates, [1], { lambda: 0.2 })
  expect(audit).toThrow("not 'joint'")
})

describe('presets', () => {
  test.each(Object.entries(presets))(
    '%s passes the rules of settings, with texts and without',
    (_, preset) => {
      expect(resolveSettings(preset)).toEqual(preset)
      expect(() => rerank(plain.query, plain.candidates, { ...preset, k: 3 })).not.toThrow()
    },
  )

  test.each(Object.entries(labelPresets))('%s passes the rules of label settings', (_, preset) => {
    expect(resolveLabelSettings(preset)).toEqual(preset)
  })
})

test('gives each setting a default that passes its rule', () => {
  const { statistics, views, kernel, preselect, ...rest } = methodTable
  expect(resolveMethodSettings()).toEqual(
    Object.fromEntries(Object.entries(rest).map(([name, row]) => [name, row.default])),
  )
  for (const [name, row] of Object.entries({ ...methodTable, ...labelTable })) {
    expect(row.help.length, name).toBeLessThan(80)
    if (row.default === undefined) continue
    const resolved = name in labelTable ? resolveLabelSettings : resolveMethodSettings
    expect(() => resolved({ [name]: row.default } as object)).not.toThrow()
  }
})
