import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  workspaces: string[]
}
const packages = workspaces.filter((folder) => folder.startsWith('packages/'))

/** The packages of ours that the sources of one import. */
function importsOf(folder: string, parts = ['src', 'page']): string[] {
  const sources = parts.flatMap((part) => filesIn(join(root, folder, part)))
  const found = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\(|^import)\s*'@kith\/([\w-]+)/gm)].map(
      ([, name]) => name!,
    ),
  )
  return [...new Set(found)].sort()
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((file) => /\.tsx?$/.test(file))
  } catch {
    return []
  }
}

const nameOf = (folder: string): string => folder.split('/').at(-1)!

test('packages import each other as ARCHITECTURE.md shows', () => {
  const real = packages.map((folder) =>
    `${nameOf(folder)} ← ${importsOf(folder).join(', ')}`.trim(),
  )
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const drawn = page.split('\n').filter((line) => /^[\w-]+ ←/.test(line))
  expect(drawn).toEqual(real)
})

test('the walks of ARCHITECTURE.md name files that exist, and are short', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const walks = page.slice(page.indexOf('## Three journeys'), page.indexOf('## Decisions'))
  const sources = packages.flatMap((folder) => filesIn(join(root, folder, 'src')))
  const missing = [...walks.matchAll(/`([\w/-]+\.ts)`/g)].filter(
    ([, name]) => !sources.some((file) => file.endsWith(`/${name}`)),
  )
  expect(missing.map(([, name]) => name)).toEqual([])
  const lengths = [...walks.matchAll(/crosses (\d+) files/g)].map(([, count]) => Number(count))
  expect(lengths).toHaveLength(3)
  lengths.forEach((length, i) => {
    expect(length).toBeLessThanOrEqual([12, 20, 22][i]!)
  })
})

test('a package imports only packages that are built before it', () => {
  packages.forEach((folder, position) => {
    const before = packages.slice(0, position).map(nameOf)
    expect(before).toEqual(expect.arrayContaining(importsOf(folder)))
  })
})

test('no package exports all of its modules by a pattern', () => {
  const open = packages.filter((folder) => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return Object.keys(exports).some((path) => path.includes('*'))
  })
  expect(open).toEqual([])
})

test('packages list the imports of their sources as dependencies', () => {
  for (const folder of packages) {
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    )
    const named = Object.keys({ ...dependencies, ...peerDependencies })
    // The studio's page is bundled: what it imports is not installed.
    const wanted = importsOf(folder, ['src']).map((name) => `@kith/${name}`)
    expect(named, folder).toEqual(expect.arrayContaining(wanted))
  }
})

/** The packages that a built file and everything it imports statically load, by their names. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  const names = new Set<string>()
  if (seen.has(file)) return names
  seen.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)(?:[^'"]*?\sfrom)?\s*['"]([^'"]+)['"]/gm,
  )
  for (const [, name] of imports) {
    if (name!.startsWith('node:')) continue
    names.add(name!)
    const other = name!.startsWith('.')
      ? join(file, '..', name!)
      : name!.startsWith('@kith/')
        ? builtFile(name!)
        : undefined
    if (other) for (const loaded of loadedBy(other, seen)) names.add(loaded)
  }
  return names
}

/** The built file that an import of a package loads. */
function builtFile(name: string): string {
  const [, folder, ...path] = name.split('/')
  const at = join(root, 'packages', folder!)
  const { exports } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
  return join(at, exports[['.', ...path].join('/')].default)
}

test('programs load the Parquet libraries only for Parquet files', () => {
  const entries = ['@kith/ir', '@kith/ir/internal', '@kith/pipelines', '@kith/pipelines/rerank']
  const loaded = entries.flatMap((entry) => [...loadedBy(builtFile(entry))])
  expect(loaded).toContain('@kith/core')
  expect(loaded.filter((name) => name.includes('parquet'))).toEqual([])
})

test('worker threads load no stores', () => {
  const folder = join(root, 'packages/pipelines/dist')
  for (const job of ['tasks/task-worker', 'rerank-slice', 'label-slice']) {
    const loaded = [...loadedBy(join(folder, `${job}.js`))]
    expect(loaded.filter((name) => name.startsWith('@kith/stores'))).toEqual([])
  }
})

test('no source file is longer than 350 lines', () => {
  const long = packages
    .flatMap((folder) => ['src', 'page'].flatMap((part) => filesIn(join(root, folder, part))))
    .filter((file) => readFileSync(file, 'utf8').split('\n').length > 351)
  expect(long).toEqual([])
})

test('adapters import only core', () => {
  const adapters = packages.filter((folder) => folder.startsWith('packages/adapters/'))
  expect(adapters.length).toBeGreaterThan(2)
  for (const folder of adapters) expect(importsOf(folder)).toEqual(['core'])
})

test('benchmarks, experiments and the site import packages by their names', () => {
  const files = ['bench', 'experiments', 'site'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.mjs'))
      .map((name) => join(folder, name)),
  )
  expect(files.length).toBeGreaterThan(20)
  const inside = files.filter((file) =>
    /packages\/[\w/-]+\/(dist|src|bin)\//.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(inside).toEqual([])
})
