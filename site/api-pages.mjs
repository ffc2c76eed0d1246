import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './place.mjs'

/** The modules that packages export for programs, with the page and the source of each. */
export function apiPages() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    )
    return Object.entries(exports).flatMap(([path, { default: built }]) => {
      // A file such as simd.wasm is no module of programs.
      if (built === undefined) return []
      const source = join(root, folder, built.replace('dist/', 'src/').replace(/js$/, 'ts'))
      const code = readFileSync(source, 'utf8')
      if (isInternal(code)) return []
      const module = `${name.slice('@kith/'.length)}${path.slice(1).replace('/', '-')}`
      // typedoc gives a module with namespaces a folder.
      const isFolder = code.includes('export * as')
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

/** Whether a module is for Kith's own packages: its first comment says so. */
export function isInternal(code) {
  return /^\/\*\*[\s*]*internal:/i.test(code)
}
