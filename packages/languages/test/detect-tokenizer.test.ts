import { describe, expect, test } from 'vitest'
import { detectTokenizer } from '../src/index.ts'
import { sentences } from './sentences.ts'

describe('detectTokenizer', () => {
  test.each(Object.keys(sentences))('%s', (name) => {
    expect(detectTokenizer(sentences[name]!)).toBe(name)
  })
})

test('returns a language for each script of texts in several scripts', () => {
  const texts = [...sentences.english!, ...sentences.english!, ...sentences.russian!]
  expect(detectTokenizer(texts)).toBe('english+russian')
  expect(detectTokenizer([...sentences.german!, 'Die Stadt heißt Москва.'])).toBe('german')
})

test('returns no stemming for texts in an unknown language', () => {
  expect(detectTokenizer(['Kot śpi na dachu, bo słońce jest ciepłe i nikt go nie budzi.'])).toBe(
    'prefix5',
  )
  expect(detectTokenizer([])).toBe('prefix5')
  expect(detectTokenizer(['12 34', '…'])).toBe('prefix5')
})

test('detects functions as code', () => {
  const texts = [
    'def add(a, b):\n    """Adds two numbers."""\n    return a + b',
    'function size(list) { return list.length; }',
    'The only sentence here.',
  ]
  expect(detectTokenizer(texts)).toBe('code')
})
