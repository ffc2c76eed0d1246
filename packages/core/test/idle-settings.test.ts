import { describe, expect, test } from 'vitest'
import {
  auditCandidates,
  explain,
  labelPresets,
  type PartialLabelSettings,
  type PartialMethodSettings,
  presets,
  Reranker,
  rerank,
  resolveLabelSettings,
  resolveMethodSettings,
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
  // Nor do the settings of a Reranker, which serves all kinds of inputs.
  expect(() => new Reranker(settings).rerank(query, candidates)).not.toThrow()
})

test('rerank accepts a setting that its inputs use', () => {
  expect(() => rerank(plain.query, plain.candidates, { lambda: 0.5 })).not.toThrow()
  expect(() => rerank(worded.query, worded.candidates, { bm25Weight: 0.5, k1: 1 })).not.toThrow()
  expect(() =>
    rerank(worded.query, worded.candidates, { lambda: 0.5, mix: 'standard' }),
  ).not.toThrow()
})

test('explain, smoothLabels and auditCandidates refuse settings without effect', () => {
  expect(() => explain(worded.query, worded.candidates, 0, { lambda: 0.5 })).toThrow('no effect')
  const truth = { candidates: [0] }
  const label = (settings: PartialLabelSettings) => () =>
    smoothLabels(plain.query, plain.candidates, truth, settings)
  expect(label({ bm25Weight: 0.5 })).toThrow('it needs a ranking')
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
