import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('fuzz.mjs', import.meta.url))

/** About ten seconds; `npm run fuzz` goes on for an hour. */
const ROUNDS = 30

test('damaged files are read or refused, and scaled vectors give the same result', () => {
  const { status, stdout } = spawnSync(process.execPath, [program, '--rounds', `${ROUNDS}`], {
    encoding: 'utf8',
  })
  expect(stdout).toMatch(
    /^\d+ damaged files for \d+ readers, \d+ hostile tokenizers among them, \d\d+ lists of vectors, 0 failures\n$/,
  )
  expect(status).toBe(0)
})
