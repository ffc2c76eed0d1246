import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './place.mjs'

/** The modules that packages export, with the page and the source of each. */
export function apiPages() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    )
    return Object.keys(exports).map((path) => {
      const source = join(root, folder, 'src', path === '.' ? 'index.ts' : `${path.slice(2)}.ts`)
      const module = `${name.slice('@kith/'.length)}${path.slice(1).replace('/', '-')}`
      // typedoc gives a module with namespaces a folder.
      const isFolder = readFileSync(source, 'utf8').includes('export * as')
      return {
        readme: path === '.' ? `${folder}/README.md` : undefined,
        name: path === '.' ? name : `${name}/${path.slice(2)}`,
        module,
        page: isFolder ? `api/${module}/index.md` : `api/${module}.md`,
        source,
      }
    })
  })
}
