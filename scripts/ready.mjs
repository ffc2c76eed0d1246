/**
 * Makes sure that dependencies are installed and packages built, doing only
 * what has changed since the last time. Runs before anything is installed, so
 * it uses nothing but Node.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  buildDigests,
  builtPackages,
  digestOf,
  packagesToBuild,
  readBuilt,
  writeBuilt,
} from './build-state.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamps = join(root, 'node_modules', '.kith')

install()
build()

function install() {
  const stamp = join(stamps, 'installed')
  const digest = digestOf(root, ['package-lock.json'])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  npm('ci', '--no-progress', '--prefer-offline')
  mkdirSync(stamps, { recursive: true })
  writeFileSync(stamp, digest)
}

/** Builds the packages that changed, and the packages that bundle parts of them. */
function build() {
  const digests = buildDigests(root)
  const stale = packagesToBuild(root, digests)
  if (stale.length > 0) {
    // Builds of files that were deleted or moved must not be found any more.
    for (const folder of stale) rmSync(join(root, folder, 'dist'), { recursive: true, force: true })
    const all = stale.length === builtPackages(root).length
    npm('run', 'build', '--silent', ...(all ? [] : ['--', ...stale]))
  }
  if (JSON.stringify(readBuilt(root)) !== JSON.stringify(digests)) writeBuilt(root, digests)
}

/** Runs npm; if it fails, so does this program. */
function npm(...args) {
  console.log(`kith: npm ${args.join(' ')}`)
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    stdio: 'inherit',
    // onnxruntime-node carries its CPU build; its install step looks for a GPU build on a host that may be closed.
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
