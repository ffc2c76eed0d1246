import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './pages.ts'

/** A time limit of one test, one hook or one poll. */
const LIMIT =
  /^\s*\}, [\d_]{5,}\)$|\{\s*timeout: [\w *]+,?\s*\}, (?:async )?\(|vi\.setConfig|\.poll\(.*timeout/m

test('leaves time limits to vitest.config.ts, so that a busy machine fails no test', () => {
  const limited = ['packages', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => join(folder, file))
      .filter((file) => LIMIT.test(readFileSync(join(root, file), 'utf8'))),
  )
  expect(limited).toEqual([])
})
