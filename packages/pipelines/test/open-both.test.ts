import { expect, test } from 'vitest'
import { openBoth } from '../src/join/contexts.ts'

test('closes the first if the second cannot be opened', async () => {
  let closed = 0
  const first = {
    async close() {
      closed++
    },
  }
  const problem = new Error('no such file')
  const both = openBoth(Promise.resolve(first), () => Promise.reject(problem))
  await expect(both).rejects.toBe(problem)
  expect(closed).toBe(1)
  expect(await openBoth(Promise.resolve(first), async () => 'second')).toEqual([first, 'second'])
  expect(closed).toBe(1)
})
