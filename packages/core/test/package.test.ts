import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('..', import.meta.url))

test('the package has no dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest[kind] ?? {}).toEqual({})
  }
})

test('the packed package stays under 100 kB and contains nothing but its build', () => {
  const target = mkdtempSync(join(tmpdir(), 'kith-pack-'))
  try {
    const output = execFileSync(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', target],
      {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        shell: process.platform === 'win32',
      },
    )
    const answer = JSON.parse(output)
    const [{ filename, files }] = Array.isArray(answer) ? answer : Object.values(answer)
    expect(statSync(join(target, filename)).size).toBeLessThan(100_000)
    for (const { path } of files)
      expect(path).toMatch(/^(dist\/.*\.(js|d\.ts|wasm)|package\.json|README\.md|LICENSE)$/)
  } finally {
    rmSync(target, { recursive: true })
  }
})
