/**
 * Packs packages for projects on this machine, and prints the line that installs them there:
 *
 *   npm run pack -- @kith/cli @kith/encoder
 *
 * Packs the named packages with the packages of Kith that they need; without names, all packages. The files are in `packed/`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pack, publicPackages, root, withDependencies } from './packages.mjs'

const packages = publicPackages()
const known = packages.map(({ name }) => name)
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`unknown package ${unknown.join(', ')}; packages: ${known.join(', ')}`)
  process.exit(2)
}
const wanted = new Set(asked.flatMap((name) => withDependencies(name, packages)))
const folder = join(root, 'packed')
// Files of earlier commands stay: their lines still install them.
mkdirSync(folder, { recursive: true })
const packed = pack(
  asked.length > 0 ? packages.filter(({ name }) => wanted.has(name)) : packages,
  folder,
)
console.log(`npm install ${packed.map(({ filename }) => join(folder, filename)).join(' ')}`)
