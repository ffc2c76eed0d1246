import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const read = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8')

test('the table of errors has every code of KithErrorCode, and no other', () => {
  const [type] = /export type KithErrorCode =[\s\S]*?\n\n/.exec(read('packages/core/src/error.ts'))!
  const codes = [...type.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(5)
  const [section] = /^## Errors\n[\s\S]*?(?=^## )/m.exec(read('docs/reliability.md'))!
  const told = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)
  expect(told).toEqual(codes)
})
