import { describe, expect, test } from 'vitest'
import { detectTokenizer } from '../src/index.ts'
import { sentences } from './sentences.ts'

describe('detects the language of a corpus', () => {
  test.each(Object.keys(sentences))('%s', (name) => {
    expect(detectTokenizer(sentences[name]!)).toBe(name)
  })
})

test('texts in several scripts get a language for each', () => {
  const texts = [...sentences.english!, ...sentences.english!, ...sentences.russian!]
  expect(detectTokenizer(texts)).toBe('english+russian')
  expect(detectTokenizer([...sentences.german!, 'Die Stadt heißt Москва.'])).toBe('german')
})

test('texts without a known language get no stems', () => {
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
