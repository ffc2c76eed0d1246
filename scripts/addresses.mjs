/**
 * Writes `repository`, `homepage` and `bugs` of every package from one constant:
 *
 *   node scripts/addresses.mjs
 *
 * There is no public address yet: set `ADDRESS` on the day of publishing, and run it once.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publicPackages, root } from './packages.mjs'

/** The addresses of Kith. (example.org belongs to nobody: the address is set at publishing.) */
const ADDRESS = 'https://example.org/kith'

/** The fields of a package.json that name the source of the package. */
export function addressesOf(folder) {
  return {
    repository: { type: 'git', url: `git+${ADDRESS}.git`, directory: folder },
    homepage: ADDRESS,
    bugs: { url: `${ADDRESS}/issues` },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { folder, ...manifest } of publicPackages()) {
    // After the license, among the fields that a registry shows.
    const { name, version, description, keywords, license, ...rest } = manifest
    const shown = { name, version, description, keywords, license, ...addressesOf(folder) }
    const written = JSON.stringify({ ...shown, ...rest, ...addressesOf(folder) }, undefined, 2)
    writeFileSync(join(root, folder, 'package.json'), `${written}\n`)
  }
}
