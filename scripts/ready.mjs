/**
 * Makes sure that dependencies are installed and packages built, doing only
 * what has changed since the last time. Runs before anything is installed, so
 * it uses nothing but Node.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamps = join(root, 'node_modules', '.kith')

step('installed', ['package-lock.json'], ['ci', '--no-progress'])
step(
  'built',
  ['tsconfig.base.json', 'package-lock.json', 'scripts/build-kernel.mjs', ...sources()],
  ['run', 'build', '--silent'],
)

/** Runs npm if any of the files changed since it last succeeded. */
function step(name, files, npmArguments) {
  const stamp = join(stamps, name)
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)))
  const digest = hash.digest('hex')
  const done = existsSync(stamp) && readFileSync(stamp, 'utf8') === digest
  if (done && (name !== 'built' || packages().every(isBuilt))) return
  console.log(`kith: npm ${npmArguments.join(' ')}`)
  // What was built from files that are gone or have moved must not be found any more.
  if (name === 'built') {
    for (const folder of packages())
      rmSync(join(root, folder, 'dist'), { recursive: true, force: true })
  }
  const { status, error } = spawnSync('npm', npmArguments, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
  mkdirSync(stamps, { recursive: true })
  writeFileSync(stamp, digest)
}

/** The workspaces that are built. */
function packages() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces.filter((folder) => folder.startsWith('packages/'))
}

function isBuilt(folder) {
  return existsSync(join(root, folder, 'dist'))
}

/** Everything that a build reads. */
function sources() {
  return packages().flatMap((folder) =>
    ['src', 'page', 'assembly', 'tsconfig.json', 'package.json'].flatMap((part) =>
      filesIn(`${folder}/${part}`),
    ),
  )
}

function filesIn(path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(full, { withFileTypes: true })
    .filter((entry) => entry.name !== 'generated')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesIn(`${path}/${entry.name}`) : [`${path}/${entry.name}`],
    )
}
