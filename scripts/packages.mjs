/** The packages that are published: which they are, and how they are packed. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The manifests of the packages, each with its folder. */
export function publicPackages() {
  return manifestOf('.')
    .workspaces.map((folder) => ({ folder, ...manifestOf(folder) }))
    .filter((one) => !one.private)
}

/** A package of Kith by its name, and the packages that it installs. */
export function withDependencies(name, packages, found = []) {
  if (found.includes(name)) return found
  const { dependencies = {} } = packages.find((one) => one.name === name)
  return Object.keys(dependencies)
    .filter((other) => other.startsWith('@kith/'))
    .reduce((all, other) => withDependencies(other, packages, all), [...found, name])
}

/** Packs packages into a folder as npm publishes them; what npm says of each. */
export function pack(packages, folder) {
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder]
  const places = packages.flatMap((one) => ['-w', one.folder])
  const { status, stdout, error } = spawnSync('npm', ['pack', ...options, ...places], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) throw new Error(`npm pack failed with exit code ${status}: ${stdout}`)
  return Object.values(JSON.parse(stdout))
}

/** The package.json of a folder of the repository. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}
