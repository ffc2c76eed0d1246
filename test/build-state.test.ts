import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  buildDigests,
  packagesToBuild,
  stalePackages,
  writeBuilt,
} from '../scripts/build-state.mjs'
import { temporaryFolder } from './files.ts'

const folder = temporaryFolder()
let root: string
let count = 0

/** Writes a file of the repository that was last changed at a minute. */
function put(file: string, content: string, minute: number): void {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, minute * 60, minute * 60)
}

/** Notes a build of everything at a minute. */
function stamp(minute: number): void {
  writeBuilt(root, buildDigests(root))
  utimesSync(join(root, 'node_modules/.kith/built'), minute * 60, minute * 60)
}

const all = ['packages/a', 'packages/b']

beforeEach(() => {
  root = join(folder, String(count++))
  put('package.json', JSON.stringify({ workspaces: [...all, 'site'] }), 1)
  const scripts = ['scripts/build-kernel.mjs', 'scripts/bundle.mjs']
  for (const file of ['tsconfig.base.json', 'package-lock.json', ...scripts]) put(file, file, 1)
  for (const one of all) {
    put(`${one}/package.json`, '{}', 1)
    put(`${one}/tsconfig.json`, '{}', 1)
    put(`${one}/src/index.ts`, 'export const x = 1', 10)
    put(`${one}/src/deep/worker.ts`, 'export const y = 1', 10)
    put(`${one}/dist/index.d.ts`, 'export const x = 1', 20)
    put(`${one}/dist/deep/worker.d.ts`, 'export const y = 1', 20)
  }
})

test('stalePackages accepts a build that is newer than its sources, with or without digests', () => {
  expect(stalePackages(root)).toEqual([])
  stamp(21)
  expect(stalePackages(root)).toEqual([])
})

test('stalePackages accepts a build of the same bytes with any times of the sources', () => {
  stamp(21)
  put('packages/a/src/index.ts', 'export const x = 1', 30)
  expect(stalePackages(root)).toEqual([])
})

describe('stalePackages reports a build', () => {
  test('if a source has changed since', () => {
    stamp(21)
    put('packages/b/src/deep/worker.ts', 'export const y = 2', 30)
    expect(stalePackages(root)).toEqual(['packages/b'])
    put('packages/b/dist/index.d.ts', 'export const x = 1', 40)
    expect(stalePackages(root)).toEqual(['packages/b'])
    put('packages/b/dist/deep/worker.d.ts', 'export const y = 2', 40)
    expect(stalePackages(root)).toEqual([])
  })

  test('if a source is new, or the build is missing', () => {
    stamp(21)
    put('packages/a/src/new.ts', 'export const z = 1', 5)
    expect(stalePackages(root)).toEqual(['packages/a'])
    rmSync(join(root, 'packages/b/dist'), { recursive: true })
    expect(stalePackages(root)).toEqual(all)
  })

  test('if it was made from other bytes than the restored ones', () => {
    stamp(21)
    put('packages/a/dist/index.d.ts', 'export const x = 2', 30)
    put('packages/a/dist/deep/worker.d.ts', 'export const y = 1', 30)
    put('packages/a/src/index.ts', 'export const x = 1', 40)
    expect(stalePackages(root)).toEqual(['packages/a'])
  })

  test('if parts other than modules have changed', () => {
    for (const part of ['page/main.tsx', 'assembly/index.ts', 'tsconfig.json', 'vite.config.ts']) {
      put(`packages/a/${part}`, 'new', 50)
      expect(stalePackages(root)).toEqual(['packages/a'])
      rmSync(join(root, 'packages/a', part))
    }
  })
})

describe('packagesToBuild', () => {
  const toBuild = () => packagesToBuild(root, buildDigests(root))

  test('returns nothing without changes, and otherwise only the changed packages', () => {
    stamp(21)
    expect(toBuild()).toEqual([])
    put('packages/b/src/index.ts', 'export const x = 2', 30)
    expect(toBuild()).toEqual(['packages/b'])
  })

  test('returns a page that contains the code of a changed package', () => {
    put('packages/a/package.json', JSON.stringify({ name: '@kith/a' }), 1)
    put('packages/b/package.json', JSON.stringify({ dependencies: { '@kith/a': '*' } }), 1)
    stamp(21)
    put('packages/a/src/index.ts', 'export const x = 2', 30)
    expect(toBuild()).toEqual(['packages/a'])
    put('packages/b/vite.config.ts', 'export default {}', 1)
    stamp(21)
    put('packages/a/src/index.ts', 'export const x = 3', 40)
    expect(toBuild()).toEqual(all)
  })

  test('returns all packages if a file changed that all builds read', () => {
    stamp(21)
    put('scripts/bundle.mjs', 'new', 30)
    expect(toBuild()).toEqual(all)
  })
})
