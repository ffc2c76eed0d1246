/**
 * Lists the licenses of what is installed with Kith's packages, from the lock file:
 *
 *   node scripts/licenses.mjs           writes docs/licenses.md
 *   node scripts/licenses.mjs --check   fails if it is not what would be written
 */
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const file = new URL('docs/licenses.md', root)
const { packages: locked } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))

/** Licenses that allow what ours allows, and ask for a notice at most. */
const PERMISSIVE =
  /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|CC0-1\.0|Unlicense)( OR [\w.-]+)*\)?$/

/** Code that is bundled into a package instead of being installed with it. */
const BUNDLED = [
  { path: 'packages/studio', name: 'preact', where: 'the page of studio' },
  { path: 'packages/languages', name: '@orama/stemmers', where: 'languages, the page of studio' },
  { path: 'packages/languages', name: '@orama/stopwords', where: 'languages, the page of studio' },
]

const published = Object.entries(locked)
  .filter(([path]) => path.startsWith('packages/') && !path.includes('node_modules'))
  .map(([path, entry]) => ({ path, ...entry }))

const text = page()
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/licenses.md does not match package-lock.json; run node scripts/licenses.mjs')
  process.exitCode = 1
}

function page() {
  const installed = new Map()
  for (const { path, name } of published) {
    for (const found of closure(path)) {
      if (!found.includes('node_modules/')) continue
      installed.set(found, [...(installed.get(found) ?? []), name.replace('@kith/', '')])
    }
  }
  const rows = [...installed].map(([path, users]) => ({ ...entryAt(path), users }))
  for (const { name, version, license } of rows) {
    if (PERMISSIVE.test(license)) continue
    throw new Error(
      `${name} ${version} has the license "${license}", which is not on the list of allowed licenses; check it, and add it in scripts/licenses.mjs`,
    )
  }
  rows.sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
  const counts = new Map()
  for (const { license } of rows) counts.set(license, (counts.get(license) ?? 0) + 1)
  const summary = [...counts]
    .sort((a, b) => b[1] - a[1] || compare(a[0], b[0]))
    .map(([license, count]) => `${license} ${count}`)
  return `# Licenses

Kith is licensed under Apache-2.0. This page lists the licenses of all packages that npm installs with Kith. All of them are permissive. Packages for the development of Kith are not installed with it, and not listed.

${rows.length} packages: ${summary.join(', ')}.

<!-- Written by scripts/licenses.mjs from the lock file: do not edit. -->

| package | version | license | installed with |
|---|---|---|---|
${rows.map(({ name, version, license, users }) => `| ${name} | ${version} | ${license} | ${users.join(', ')} |`).join('\n')}

## Bundled

The build copies these packages into a package of Kith:

| package | version | license | where |
|---|---|---|---|
${bundled().join('\n')}

## Peer dependencies

Install these packages yourself, if you use the feature that needs them:

| package | license | used by |
|---|---|---|
${peers().join('\n')}
`
}

/** All that a package's dependencies bring, by their places in the lock file. */
function closure(path, seen = new Set()) {
  const { dependencies, optionalDependencies } = locked[path]
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = placeOf(name, path)
    if (found === undefined || seen.has(found)) continue
    seen.add(found)
    closure(found, seen)
  }
  return seen
}

/**
 * The folder where Node finds a package from another; undefined for a package of another platform
 * that is not locked.
 */
function placeOf(name, from) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = `${folder}${folder && '/'}node_modules/${name}`
    if (path in locked) return locked[path].link ? locked[path].resolved : path
    if (folder === '') return undefined
  }
}

function entryAt(path) {
  const { version, license } = locked[path]
  const name = path.replace(/^.*node_modules\//, '')
  return { name, version, license: license ?? manifest(path).license ?? 'unknown' }
}

function manifest(path) {
  return JSON.parse(readFileSync(new URL(`${path}/package.json`, root), 'utf8'))
}

function bundled() {
  return BUNDLED.map(({ path, name, where }) => {
    const { version, license } = entryAt(placeOf(name, path))
    return `| ${name} | ${version} | ${license} | ${where} |`
  })
}

function peers() {
  const users = new Map()
  for (const { name, path, peerDependencies = {} } of published) {
    for (const peer of Object.keys(peerDependencies)) {
      const known = users.get(peer) ?? { path: placeOf(peer, path), names: [] }
      users.set(peer, { ...known, names: [...known.names, name.replace('@kith/', '')] })
    }
  }
  return [...users]
    .sort((a, b) => compare(a[0], b[0]))
    .map(
      ([peer, { path, names }]) => `| ${peer} | ${entryAt(path).license} | ${names.join(', ')} |`,
    )
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0
}
