import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownSource, pagePolicy } from '@kith/base'
import { KithError } from '@kith/core'
import type { WrittenCollection } from './studio-wire.ts'

/** The folder of the built page, at the same relative path from `src` and from `dist`. */
const PAGE = fileURLToPath(new URL('../dist/page/', import.meta.url))

/** Returns the files of the built page by their paths in its folder, with `/` as separator. */
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

/** Returns the text of the page's only file with an extension, such as its script. */
export function pagePart(ending: string): string {
  const [file] = [...pageFiles().values()].filter((name) => extname(name) === ending)
  return readFileSync(file!, 'utf8')
}

/** The tag that marks a studio page; no other `index.html` contains it. */
export const GENERATOR = '<meta name="generator" content="kith studio">'

/**
 * A self-contained page, which opens from a disk and from any web server, and makes no requests.
 */
interface WholePage {
  title: string
  /** The dataset to show; if undefined, the page asks the reader for one. */
  collection?: WrittenCollection | undefined
}

/** Builds the studio's page with its style, script and data inline. */
export function wholePage({ title, collection }: WholePage): string {
  const style = pagePart('.css')
  // A string in the page's own script must not end the script element.
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

/** Formats a dataset as JSON for a script element: a `<` in a text could end the element. */
function jsonOf(collection: WrittenCollection): string {
  return JSON.stringify(collection).replaceAll('<', '\\u003c')
}

/**
 * Returns the content security policy: the page may use only its own style and script, create
 * workers from blobs, and send nothing.
 */
function policyOf(style: string, script: string): string {
  return pagePolicy({
    'script-src': `${ownSource(script)} 'wasm-unsafe-eval'`,
    'style-src': ownSource(style),
    'worker-src': 'blob:',
    'connect-src': "'none'",
  })
}
