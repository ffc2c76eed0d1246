import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { apiPages } from './api-pages.mjs'
import { exampleFiles, exampleTarget } from './examples.mjs'
import { root } from './place.mjs'

/** Pages from outside `docs/`. */
export const project = {
  'ARCHITECTURE.md': 'architecture.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
}

/** The files of `docs/`. */
export const docs = readdirSync(join(root, 'docs'))

/** The pages of the site that show files of the repository. */
const targets = new Map([
  ...docs.map((name) => [`docs/${name}`, name]),
  ...Object.entries(project),
  ['README.md', 'index.md'],
  ['docs/README.md', 'index.md'],
  ['examples', 'examples.md'],
  ...exampleFiles().map((name) => [`examples/${name}`, exampleTarget(name)]),
  ...apiPages().map(({ readme, page }) => [readme, page]),
])

/** The text of a file, its links to other files of the repository made links to their pages. */
export function readLinked(file, page) {
  const text = readFileSync(join(root, file), 'utf8')
  // Links inside code stay.
  const parts = text.split(/(^```[\s\S]*?^```|`[^`\n]*`)/m)
  return parts
    .map((part, i) => {
      if (i % 2 === 1) return part
      return part.replace(/\]\(([^)\s]+)\)/g, (_, link) => `](${linkFrom(file, page, link)})`)
    })
    .join('')
}

function linkFrom(file, page, link) {
  if (/^[a-z]+:|^#/.test(link)) return link
  const [path, anchor] = link.split('#')
  const target = targets.get(posix.join(posix.dirname(file), path).replace(/\/$/, ''))
  if (!target) throw new Error(`${file}: the site has no page for the link ${link}`)
  const relative = posix.relative(posix.dirname(page), target.split('#')[0])
  // VitePress puts `_` before an id that begins with a digit; code hosts do not.
  const place = (anchor ?? target.split('#')[1])?.replace(/^\d/, '_$&')
  return `./${relative}${place ? `#${place}` : ''}`
}
