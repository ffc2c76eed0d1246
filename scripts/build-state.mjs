/**
 * Finds the packages whose build matches the sources. Used before anything is installed, so it uses
 * nothing but Node.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files that the builds of all packages read. */
const SHARED = [
  ...['tsconfig.base.json', 'package-lock.json'],
  ...['scripts/build-kernel.mjs', 'scripts/bundle.mjs'],
]
/** Files that the build of a package reads. */
const PARTS = ['src', 'page', 'assembly', 'tsconfig.json', 'vite.config.ts', 'package.json']

/** The workspaces that are built. */
export function builtPackages(root) {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces.filter((folder) => folder.startsWith('packages/'))
}

/** A digest of files, names included. */
export function digestOf(root, files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** The digests of what a build of everything reads now: of each package, and of what all share. */
export function buildDigests(root) {
  const packages = builtPackages(root).map((folder) => [
    folder,
    digestOf(root, sourcesOf(root, folder)),
  ])
  return { shared: digestOf(root, SHARED), ...Object.fromEntries(packages) }
}

/** The digests that the last build of everything was made from; none if there was none. */
export function readBuilt(root) {
  try {
    return JSON.parse(readFileSync(stampOf(root), 'utf8'))
  } catch {
    return {}
  }
}

/** Records that everything is built from sources with these digests. */
export function writeBuilt(root, digests) {
  mkdirSync(join(root, 'node_modules', '.kith'), { recursive: true })
  writeFileSync(stampOf(root), `${JSON.stringify(digests, undefined, 2)}\n`)
}

/**
 * The packages whose build is missing or older than their sources. A build is good if the last
 * build of everything was made from the same bytes, and nothing was built since; or if all its
 * files are younger than all sources, as after `npm run build` in one package.
 */
export function stalePackages(root) {
  const built = readBuilt(root)
  const stamped = timeOf(stampOf(root))
  return builtPackages(root).filter((folder) => {
    const sources = sourcesOf(root, folder)
    const outputs = outputsOf(root, sources, folder).map((file) => timeOf(join(root, file)))
    if (outputs.includes(0)) return true
    const same = built[folder] === digestOf(root, sources)
    if (same && Math.max(...outputs) <= stamped) return false
    const read = sources.filter((file) => !file.endsWith('/package.json'))
    return Math.max(...read.map((file) => timeOf(join(root, file)))) > Math.min(...outputs)
  })
}

/**
 * The packages to build: stale packages, packages built from other bytes, and packages whose page
 * carries the code of one of them. All of them if something has changed that all builds read.
 */
export function packagesToBuild(root, digests) {
  const built = readBuilt(root)
  const all = builtPackages(root)
  if (built.shared !== digests.shared) return all
  const stale = new Set(stalePackages(root))
  if (stale.size === 0) return []
  const names = new Set([...stale].map((folder) => manifestOf(root, folder).name))
  return all.filter((folder) => {
    const { dependencies, devDependencies } = manifestOf(root, folder)
    const imports = Object.keys({ ...dependencies, ...devDependencies })
    const page = existsSync(join(root, folder, 'vite.config.ts'))
    return stale.has(folder) || (page && imports.some((name) => names.has(name)))
  })
}

function manifestOf(root, folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

/** Everything that the build of a package reads. */
function sourcesOf(root, folder) {
  return PARTS.flatMap((part) => filesIn(root, `${folder}/${part}`))
}

/** The declarations of a package's entries, which a build keeps; of each source if there are no entries. */
function outputsOf(root, sources, folder) {
  const { exports = {} } = manifestOf(root, folder)
  const entries = Object.values(exports).flatMap(({ types }) => types ?? [])
  if (entries.length > 0) return entries.map((file) => join(folder, file))
  return sources
    .filter((file) => file.startsWith(`${folder}/src/`) && /\.tsx?$/.test(file))
    .filter((file) => !file.endsWith('.d.ts'))
    .map((file) => `${folder}/dist/${file.slice(folder.length + 5).replace(/\.tsx?$/, '.d.ts')}`)
}

function filesIn(root, path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(full, { withFileTypes: true })
    .filter((entry) => entry.name !== 'generated')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesIn(root, `${path}/${entry.name}`) : [`${path}/${entry.name}`],
    )
}

function stampOf(root) {
  return join(root, 'node_modules', '.kith', 'built')
}

/** When a file was last changed; 0 if it is not there. */
function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
