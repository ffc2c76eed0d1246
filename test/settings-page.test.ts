import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
// @ts-expect-error A script without types.
import { settingsPage } from '../scripts/settings-page.mjs'

test('docs/settings.md equals the page made from the tables of settings', () => {
  const page = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8')
  expect(page, 'node scripts/settings-page.mjs writes it').toBe(settingsPage())
})
