import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownSource, pagePolicy } from '@kith/base'
import { KithError } from '@kith/core'
import type { WrittenCollection } from './studio-wire.ts'

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
    throw new KithError(
      'BAD_INPUT',
      `the page is not built: there is no folder ${PAGE}; run npm run build`,
    )
  }
}

/** The text of the one file of the page with an ending, such as its script. */
export function pagePart(ending: string): string {
  const [file] = [...pageFiles().values()].filter((name) => extname(name) === ending)
  return readFileSync(file!, 'utf8')
}

/** What tells a page of ours from any other `index.html`. */
export const GENERATOR = '<meta name="generator" content="kith studio">'

/** A page in one file, which opens from a disk and from any web server, and connects to nothing. */
interface WholePage {
  title: string
  /** The collection that it shows; undefined asks the reader for one. */
  collection?: WrittenCollection | undefined
}

/** The studio's page with its style, script and data inside. */
export function wholePage({ title, collection }: WholePage): string {
  const style = pagePart('.css')
  // A text of the page's own program must not end the element that holds it.
  const script = pagePart('.js').replaceAll('</script', '<\\/script')
  const data = collection
    ? `<script type="application/json" id="collection">${jsonOf(collection)}</script>\n`
    : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${GENERATOR}
<meta http-equiv="Content-Security-Policy" content="${policyOf(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<div id="studio"${collection ? '' : ' data-paste'}><p class="loading">Opening …</p></div>
${data}<script>${script}</script>
</body>
</html>
`
}

/** A collection as JSON in a page: `<` would let a text end the element that holds it. */
function jsonOf(collection: WrittenCollection): string {
  return JSON.stringify(collection).replaceAll('<', '\\u003c')
}

/** Only the page's own style and script count, workers are made from them, and nothing is sent anywhere. */
function policyOf(style: string, script: string): string {
  return pagePolicy({
    'script-src': `${ownSource(script)} 'wasm-unsafe-eval'`,
    'style-src': ownSource(style),
    'worker-src': 'blob:',
    'connect-src': "'none'",
  })
}
