import { expect, test } from 'vitest'
import { splitAddress, storeName } from '../src/address.ts'

test('storeName leaves out passwords', () => {
  const store = splitAddress('postgres://user:secret@host:5432/db?sslmode=require#a')
  expect(storeName(store)).toBe('postgres://host:5432/db#a')
})
