import { expect, test } from 'vitest'
import { BatchQueue } from '../src/batch-queue.ts'
import { EmbeddingCache, keyOf } from '../src/embedder.ts'

const never = new AbortController().signal

test('keeps the most recently used embeddings within the size of the cache', () => {
  const entry = (value: number) => ({
    vector: new Float32Array(100).fill(value),
    tokens: 1,
    cut: false,
  })
  // An entry takes 400 bytes of numbers, and as much besides.
  const cache = new EmbeddingCache(3 * 800)
  for (const key of ['a', 'b', 'c']) cache.set(key, entry(1))
  cache.get('a')
  cache.set('d', entry(2))
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd'])
  for (let i = 0; i < 1000; i++) cache.set('same', entry(i))
  expect(cache.size).toBe(3)
  expect(cache.get('same')!.vector[0]).toBe(999)
  const none = new EmbeddingCache(0)
  none.set('a', entry(1))
  expect(none.size).toBe(0)
  // What does not fit at all pushes nothing out.
  const small = new EmbeddingCache(900)
  small.set('a', entry(1))
  small.set('long', { vector: new Float32Array(1000), tokens: 1, cut: false })
  expect([small.get('a')?.vector[0], small.get('long')]).toEqual([1, undefined])
})

test('makes the cache key from the text and its role', () => {
  const keys = [keyOf('a', 'query'), keyOf('a', 'document'), keyOf('b', 'query')]
  expect(new Set([...keys, keyOf('a', 'query')]).size).toBe(3)
})

test('runs waiting inputs in batches in order, and fails only the batch with the error', async () => {
  const batches: number[][] = []
  const queue = new BatchQueue<number, number>(
    async (inputs) => {
      batches.push(inputs)
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (inputs.includes(13)) throw new Error('unlucky')
      return inputs.map((input) => input * 2)
    },
    { name: 'numbers', most: 12, inProgress: 1, next: (at) => (at(1) === undefined ? 1 : 2) },
  )
  const [first, unlucky, last] = [
    [1, 2, 3, 4],
    [13, 14],
    [6, 7, 8],
  ].map((inputs) => queue.add(inputs, never))
  await expect(queue.add([1, 2, 3, 4, 5, 6, 7, 8, 9], never)).rejects.toMatchObject({ status: 429 })
  const gone = new AbortController()
  const abandoned = queue.add([9], gone.signal)
  gone.abort(new Error('gone'))
  await expect(abandoned).rejects.toThrow('gone')
  await expect(unlucky).rejects.toThrow('unlucky')
  expect(await first).toEqual([2, 4, 6, 8])
  expect(await last).toEqual([12, 14, 16])
  expect(batches.flat()).not.toContain(9)
  expect(queue.length).toBe(0)
})
