import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../files.ts'
import { makeReaders } from './readers.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
// The table of error codes behind the promises has a test of its own.
const [page = ''] = readFileSync(join(root, 'docs/reliability.md'), 'utf8').split('\n## Errors')

test('names existing tests for every promise of docs/reliability.md', () => {
  const rows = page.split('\n').filter((line) => /^\| (?!promise)/.test(line))
  expect(rows.length).toBeGreaterThan(15)
  for (const row of rows) {
    const [, , held = ''] = row.split('|')
    const tests = [...held.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file!)
    expect(tests, row).not.toEqual([])
    for (const file of tests) expect(existsSync(join(root, file)), file).toBe(true)
  }
})

test('counts the fuzzed readers in docs/reliability.md', async () => {
  const readers = await makeReaders(temporaryFolder())
  expect(page).toContain(`(${readers.length} readers)`)
})
