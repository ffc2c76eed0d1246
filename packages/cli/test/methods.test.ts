import { expect, test } from 'vitest'
import { kith } from './support.ts'

test('says what is wrong with a method’s options', () => {
  const files = ['--run', 'r', '--queries', 'q', '--docs', 'd', '--out', 'o']
  const wrong = (...args: string[]): string => {
    const { code, err } = kith('rerank', ...files, ...args)
    expect(code).toBe(2)
    return err
  }
  expect(wrong('--method', 'magic')).toMatch(/neighbours, fusion, average/)
  expect(wrong('--search-again')).toMatch(/average and rocchio/)
  expect(wrong('--method', 'rocchio', '--feedback-weight', '2')).toMatch(/feedbackWeight is 2/)
})
