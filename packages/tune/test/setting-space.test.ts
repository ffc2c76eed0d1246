import { presets, resolveSettings } from '@kith/core'
import { describe, expect, test } from 'vitest'
import { suggestEvenly } from '../src/random-search.ts'
import { parametersOf, settingSpace, settingsOf } from '../src/setting-space.ts'
import { checkSpace } from '../src/space.ts'
import type { FinishedTrial } from '../src/suggest.ts'

describe.each([false, true])('texts: %s', (texts) => {
  test('every point of every space is settings that the core takes', () => {
    for (const largest of [1, 2, 5, 37, 100, 1000]) {
      const space = settingSpace({ largest, texts })
      checkSpace(space)
      const start = parametersOf(presets.balanced, space)
      const trials: FinishedTrial[] = []
      for (let round = 0; round < 10; round++) {
        for (const parameters of suggestEvenly({ space, seed: 1, study: 0, start }, trials)) {
          const settings = resolveSettings(settingsOf(parameters, presets.balanced))
          expect(settings.contextSize).toBeLessThanOrEqual(Math.min(100, largest))
          expect(settings.trust > 0).toBe(parameters['extended'])
          expect(settings.views !== undefined).toBe(texts)
          trials.push({ parameters, value: 0 })
        }
      }
    }
  })

  test('the search starts from the default itself', () => {
    const space = settingSpace({ largest: 200, texts })
    const settings = settingsOf(parametersOf(presets.balanced, space), presets.balanced)
    const views = {
      vectors: { graph: 0.7, score: 0.8 },
      texts: { graph: 0.3, score: 0.2 },
    }
    expect(settings).toEqual({ ...presets.balanced, ...(texts ? { views } : {}) })
  })
})

test('other settings are started from as well, and what is not searched stays', () => {
  const space = settingSpace({ largest: 200, texts: false })
  const base = presets['msmarco-coder-cocondenser']
  expect(settingsOf(parametersOf(base, space), base)).toEqual({ ...base, contextSize: 60 })
  const own = resolveSettings({ metric: 'cosine', overlap: 0.5 })
  const found = settingsOf({ k: 7 }, own)
  expect(found).toEqual({ ...own, k: 7 })
})
