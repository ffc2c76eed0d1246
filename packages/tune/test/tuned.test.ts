import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveMethodSettings } from '@kith/core'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { parseTuned, readTuned, tune, writeTuned } from '../src/tune.ts'
import { objective } from './support.ts'

const folder = temporaryFolder()
const file = join(folder, 'tuned.json')
const made = tune(
  objective(
    10,
    (query) => 0.5 + query / 100,
    () => 0.5,
  ),
  { measure: 'nDCG@10' },
)

test('reads back what was written', async () => {
  await writeTuned(file, await made)
  expect(await readTuned(file)).toEqual(await made)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    kith: 'tuned',
    verdict: 'default',
    settings: { ...resolveMethodSettings() },
    heldOut: { baseline: 0.5, gain: expect.closeTo(0.045, 10) },
  })
})

test.each([
  ['not JSON', '{"kith"'],
  ['was not made by kith tune', '[]'],
  ['was not made by kith tune', 'null'],
  ['expected version 1, got 2', { version: 2 }],
  ['the verdict must be one of keep-run, default, tuned, got best', { verdict: 'best' }],
  ['the field heldOut is missing', { heldOut: { gain: null } }],
  ['the field measure is missing', { measure: 7 }],
  ['the field settings is missing', { settings: undefined }],
  ['settings must be an object', { settings: null }],
  ['setting k must be', { settings: { k: 0 } }],
  ['unknown setting "q"', { settings: { q: 0 } }],
])('refuses a file with the reason: %s', async (problem, change) => {
  const text = typeof change === 'string' ? change : JSON.stringify({ ...(await made), ...change })
  expect(() => parseTuned(text, 'mine.json')).toThrow(`mine.json: ${problem}`)
})

test('names files that are missing or too large', async () => {
  await expect(readTuned(folder)).rejects.toMatchObject({ code: 'BAD_FILE' })
  await expect(readTuned(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'BAD_FILE' })
  const large = join(folder, 'large.json')
  writeFileSync(large, ' '.repeat(2 ** 20 + 1))
  await expect(readTuned(large)).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('1048576'),
  })
})
