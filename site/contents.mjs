import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './place.mjs'

/**
 * The sections of docs/README.md with their pages: the one list of contents, for readers on a code
 * host and for the side bar. A page that it does not name is a mistake.
 */
export function readContents() {
  const text = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const sections = text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n', 1)[0],
      pages: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title, file]) => ({
        title,
        file,
      })),
    }))
  const named = new Set(sections.flatMap(({ pages }) => pages.map(({ file }) => file)))
  for (const file of readdirSync(join(root, 'docs'))) {
    if (file.endsWith('.md') && file !== 'README.md' && !named.has(file)) {
      throw new Error(`docs/${file} is missing in docs/README.md: name it there`)
    }
  }
  return sections
}
