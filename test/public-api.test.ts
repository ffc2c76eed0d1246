import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicPackages, root } from '../scripts/packages.mjs'
import { isInternal } from '../site/api-pages.mjs'

/** The values that all public entries may export together. Types do not count, and a value that two entries of a package export counts once. */
const MOST = 130

interface Entry {
  /** As programs import it. */
  name: string
  internal: boolean
  values: string[]
}

/** The entries of all packages, by their package.json: patterns have none of their own. */
async function entries(): Promise<Entry[]> {
  const found = publicPackages().flatMap(({ folder, name, exports = {} }) =>
    Object.entries(exports as Record<string, { types: string }>)
      .filter(([path]) => !/\*|\.wasm$|package\.json$/.test(path))
      .map(([path, { types }]) => ({
        name: join(name, path),
        source: join(root, folder, types.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')),
      })),
  )
  return Promise.all(
    found.map(async ({ name, source }) => ({
      name,
      internal: isInternal(readFileSync(source, 'utf8')),
      values: Object.keys(await import(name)).sort(),
    })),
  )
}

const count = (list: readonly Entry[]): number =>
  new Set(
    list.flatMap(({ name, values }) => {
      const [scope, own] = name.split('/')
      return values.map((value) => `${scope}/${own} ${value}`)
    }),
  ).size

const lines = (list: readonly Entry[]): string[] =>
  list.map(({ name, values }) => `${name}: ${values.join(' ')}`)

test('exports the values in public-api.txt, and no more to programs than the limit', async () => {
  const all = await entries()
  const open = all.filter(({ internal }) => !internal)
  const inside = all.filter(({ internal }) => internal)
  const list = [
    `# Exported values, a line for each entry. Update: npx vitest run test/public-api.test.ts -u`,
    '',
    `# For programs: ${count(open)}`,
    ...lines(open),
    '',
    `# For Kith's own packages (the entry's first comment says Internal): ${count(inside)}`,
    ...lines(inside),
    '',
  ]
  await expect(list.join('\n')).toMatchFileSnapshot('public-api.txt')
  expect(count(open)).toBeLessThanOrEqual(MOST)
})
