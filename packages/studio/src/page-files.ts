import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KithError } from '@kith/core'

/** Where the build puts the page; the same place seen from `src` and from `dist`. */
const PAGE = fileURLToPath(new URL('../dist/page/', import.meta.url))

/** The files of the built page by their paths from its folder, with `/` between names. */
export function pageFiles(): Map<string, string> {
  try {
    const entries = readdirSync(PAGE, { recursive: true, withFileTypes: true })
    return new Map(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => {
          const file = join(entry.parentPath, entry.name)
          return [file.slice(PAGE.length).replaceAll('\\', '/'), file]
        }),
    )
  } catch {
    throw new KithError('BAD_INPUT', `the page is not built: no folder ${PAGE}; npm run build`)
  }
}

/** The text of the one file of the page with an ending, such as its script. */
export function pagePart(ending: string): string {
  const [file] = [...pageFiles().values()].filter((name) => extname(name) === ending)
  return readFileSync(file!, 'utf8')
}
