import { presets, resolveMethodSettings } from '@kith/core'
import { methods } from '@kith/core/internal'
import { describe, expect, test } from 'vitest'
import { checkSpace } from '../src/search/space.ts'
import { type FinishedTrial, suggestEvenly } from '../src/search/tpe.ts'
import { parametersOf, settingSpace, settingsOf } from '../src/settings/setting-space.ts'

describe.each([false, true])('settingSpace, texts: %s', (texts) => {
  test('contains only points that are valid settings of the core', () => {
    for (const largest of [1, 2, 5, 37, 100, 1000]) {
      const space = settingSpace({ largest, texts })
      checkSpace(space)
      const start = parametersOf(resolveMethodSettings(), space)
      const trials: FinishedTrial[] = []
      for (let round = 0; round < 10; round++) {
        for (const parameters of suggestEvenly({ space, seed: 1, study: 0, start }, trials)) {
          const settings = resolveMethodSettings(settingsOf(parameters, resolveMethodSettings()))
          expect(settings.contextSize).toBeLessThanOrEqual(Math.min(100, largest))
          expect(settings.trust > 0).toBe(parameters['extended'])
          expect(settings.views !== undefined).toBe(texts)
          trials.push({ parameters, value: 0 })
        }
      }
    }
  })

  test('contains the default settings as the start', () => {
    const space = settingSpace({ largest: 200, texts, mix: 'words' })
    const settings = settingsOf(
      parametersOf(resolveMethodSettings(), space),
      resolveMethodSettings(),
    )
    const views = { vectors: { graph: 0.7, score: 1 }, texts: { graph: 0.3, score: 0 } }
    // Without texts, `words` is `standard`, which the search names.
    const others = texts ? { views } : { mix: 'standard' }
    expect(settings).toEqual({ ...resolveMethodSettings(), ...others })
  })

  test('searches the tokenizers of the first generation', () => {
    const first = resolveMethodSettings(presets['balanced-1'])
    const space = settingSpace({ largest: 200, texts, mix: first.mix })
    const views = { vectors: { graph: 0.7, score: 0.8 }, texts: { graph: 0.3, score: 0.2 } }
    const settings = settingsOf(parametersOf(first, space), first)
    expect(settings).toEqual({ ...first, ...(texts ? { views } : {}) })
  })
})

test('starts from other settings as well, and keeps settings that are not searched', () => {
  const space = settingSpace({ largest: 200, texts: false })
  const base = resolveMethodSettings(presets['msmarco-coder-cocondenser'])
  expect(settingsOf(parametersOf(base, space), base)).toEqual({ ...base, contextSize: 60 })
  const own = resolveMethodSettings({ metric: 'cosine', overlap: 0.5 })
  const found = settingsOf({ k: 7 }, own)
  expect(found).toEqual({ ...own, k: 7 })
})

describe('settingSpace with several methods', () => {
  test.each([false, true])('has separate dimensions for each method; texts: %s', (texts) => {
    const chosen = methods.filter((method) => texts || method !== 'fusion')
    const space = settingSpace({ largest: 60, texts, methods: chosen })
    checkSpace(space)
    const base = resolveMethodSettings()
    const start = parametersOf(base, space)
    const seen = new Set<string>()
    for (let study = 0; study < 10; study++) {
      for (const parameters of suggestEvenly({ space, seed: 1, study, start }, [])) {
        const settings = resolveMethodSettings(settingsOf(parameters, base))
        seen.add(settings.method)
        const ours = settings.method === 'neighbors'
        expect('k' in parameters).toBe(ours)
        expect('trust' in parameters).toBe(ours && parameters['extended'] === true)
        expect('feedbackDocs' in parameters).toBe(settings.method === 'rocchio')
        expect('neighborRrfK' in parameters).toBe(settings.method === 'neighbor-rrf')
      }
    }
    expect(settingsOf(start, base).method).toBe('neighbors')
    expect(seen.size).toBeGreaterThan(1)
  })

  test('refuses fusion without texts', () => {
    const inputs = { largest: 60, texts: false, methods: ['neighbors', 'fusion'] as const }
    expect(() => settingSpace(inputs)).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }))
  })
})

test('searches weights and tokenizers with words', () => {
  const tokenizers = ['english', 'plural']
  const space = settingSpace({ largest: 200, texts: true, mix: 'words', tokenizers })
  expect(space).toMatchObject({
    bm25Weight: { from: 0.2, to: 0.7 },
    supportDocs: { from: 1, to: 10 },
    supportWeight: { from: 0 },
    tokenizer: { values: tokenizers },
  })
  expect(Object.keys(space)).not.toContain('lambda')
  const one = settingSpace({ largest: 200, texts: true, mix: 'words', tokenizers: ['english'] })
  expect(Object.keys(one)).not.toContain('tokenizer')
})
