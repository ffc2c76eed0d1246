import { expect, test } from 'vitest'
import { windowsOf } from '../src/run-texts.ts'

async function sizesOf(texts: string[]): Promise<number[]> {
  const windows = []
  for await (const window of windowsOf(texts)) windows.push(window)
  expect(windows.flat()).toEqual(texts)
  return windows.map(({ length }) => length)
}

test('encodes short texts in windows of 256', async () => {
  expect(await sizesOf(Array.from({ length: 600 }, (_, i) => `text ${i}`))).toEqual([256, 256, 88])
})

test('encodes long texts in small windows, so that a stop loses little work', async () => {
  const sizes = await sizesOf(Array.from({ length: 300 }, () => 'x'.repeat(1500)))
  expect(Math.max(...sizes)).toBe(22)
})

test('encodes a text that is longer than a window alone', async () => {
  expect(await sizesOf(['x'.repeat(50_000), 'y', 'z'])).toEqual([1, 2])
})
