import { resolveMethodSettings } from '@kith/core'
import { expect, test } from 'vitest'
import { usedSettings } from '../src/files/sidecar.ts'

const all = { ...resolveMethodSettings({ tokenizer: 'english' }), missing: 'error', texts: true }
const used = (change: object): string[] => Object.keys(usedSettings({ ...all, ...change })).sort()

test('returns the settings of the mix and of the method in use', () => {
  const graph = ['contextSize', 'k', 'kExp', 'method', 'metric', 'mix', 'rowScaling', 'texts']
  const words = [
    ...['b', 'k1', 'neighborWeight', 'supportDocs', 'supportWeight', 'bm25Weight'],
    ...['windowWeight', 'windowTerms', 'titleWeight'],
  ]
  expect(used({})).toEqual([...graph, ...words, 'tokenizer', 'trust', 'weight'].sort())
  expect(used({ texts: false })).toEqual([...graph, 'lambda', 'trust', 'weight'].sort())
  expect(used({ weight: 'exp', trust: 0.2, missing: 'skip' })).toEqual(
    expect.arrayContaining(['weightParameter', 'overlap', 'missing']),
  )
  const feedback = ['feedbackDocs', 'feedbackWeight']
  expect(used({ method: 'rocchio' })).toEqual([
    'contextSize',
    ...feedback,
    'method',
    'metric',
    'texts',
  ])
  expect(used({ method: 'neighbor-rrf' })).toContain('neighborRrfK')
})

test('returns settings of other commands unchanged', () => {
  expect(usedSettings({ top: 200, metric: 'dot' })).toEqual({ top: 200, metric: 'dot' })
})
