import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { version as named } from '@kith/base'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { addressesOf } from '../scripts/addresses.mjs'
import { type Packed, pack, publicPackages } from '../scripts/packages.mjs'
import { temporaryFolder } from './files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

interface Manifest {
  name: string
  version: string
  private?: boolean
  keywords: string[]
  files: string[]
  exports?: object
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  [field: string]: unknown
}

const { workspaces, version } = manifestOf('.') as Manifest & { workspaces: string[] }
const packages = workspaces
  .map((folder) => ({ folder, manifest: manifestOf(folder) }))
  .filter(({ manifest }) => !manifest.private)
  .map((one) => ({ name: one.manifest.name, ...one }))

const target = temporaryFolder()
const tarballs = new Map<string, Packed>()
beforeAll(() => {
  for (const one of pack(publicPackages(), target)) tarballs.set(one.name, one)
})

describe.each(packages)('$name', ({ name, folder, manifest }) => {
  test('has a manifest with the fields that a registry shows', () => {
    expect(manifest).toMatchObject({
      version,
      license: 'Apache-2.0',
      type: 'module',
      description: expect.stringMatching(/.{20}.*\.$/),
      engines: { node: '>=20.19' },
      publishConfig: { access: 'public' },
      ...addressesOf(folder),
    })
    expect(manifest.keywords.length).toBeGreaterThan(3)
    // Packages of one version belong together.
    const { dependencies, peerDependencies } = manifest
    for (const [other, wanted] of Object.entries({ ...dependencies, ...peerDependencies })) {
      if (other.startsWith('@kith/')) expect([other, wanted]).toEqual([other, version])
    }
  })

  test('packs the build, a README with code, the license, the command’s skill, and nothing else', () => {
    const paths = tarballs.get(name)!.files.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
    const other = paths.filter(
      (path) => !/^(dist|bin)\/|^(LICENSE|README\.md|package\.json)$/.test(path),
    )
    expect(other).toEqual(name === '@kith/cli' ? ['SKILL.md'] : [])
    expect(read(folder, 'LICENSE')).toBe(read('.', 'LICENSE'))
    expect(read(folder, 'README.md')).toMatch(new RegExp(`^# ${name}\\n[\\s\\S]+\`\`\`(ts|sh)\\n`))
  })

  test('imports only its declared dependencies', () => {
    const { dependencies, optionalDependencies, peerDependencies } = manifest
    const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies }
    const undeclared = tarballs
      .get(name)!
      .files.filter(({ path }) => /^(dist|bin)\/[\w./-]+\.js$/.test(path))
      // What the page needs is bundled into it.
      .filter(({ path }) => !path.startsWith('dist/page/'))
      .flatMap(({ path }) => importsOf(read(folder, path)))
      .filter((wanted) => !isBuiltin(wanted) && !(wanted in declared))
    expect([...new Set(undeclared)]).toEqual([])
  })

  test('passes publint', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: bytesOf(name).buffer },
      strict: true,
    })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test.skipIf(!manifest.exports)('passes are-the-types-wrong', async () => {
    const checked = await checkPackage(createPackageFromTarballData(bytesOf(name)), {
      excludeEntrypoints: [/\.wasm$/],
    })
    const problems = 'problems' in checked ? checked.problems : [checked]
    // Packages are modules only: what `require` and TypeScript before 4.7 make of them does not count.
    const ours = problems.filter(
      (problem) =>
        !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
    )
    expect(ours).toEqual([])
  })
})

test('prints the version of the packages in programs', () => {
  expect(named).toBe(version)
})

test('lists the licenses of the lock file in docs/licenses.md', async () => {
  await run(process.execPath, [join(root, 'scripts/licenses.mjs'), '--check'])
})

test('packs the licenses of the code that the studio page bundles', () => {
  const notice = 'dist/page/licenses.md'
  const paths = tarballs.get('@kith/studio')!.files.map(({ path }) => path)
  expect(paths).toContain(notice)
  expect(read('packages/studio', notice)).toMatch(/^## preact - \S+ \(MIT\)$/m)
})

function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(join(target, tarballs.get(name)!.filename)))
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(read(folder, 'package.json'))
}

function read(folder: string, file: string): string {
  return readFileSync(join(root, folder, file), 'utf8')
}

/** The packages that a module imports. */
function importsOf(code: string): string[] {
  const files = ts.preProcessFile(code).importedFiles.map(({ fileName }) => fileName)
  return files
    .filter((name) => !name.startsWith('.'))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
}
