import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { docs, project, readLinked } from './links.mjs'
import { generated, root, writePage } from './place.mjs'

/** Pages with tables of six columns: they take the place of the outline, too. */
const wide = { 'settings.md': '---\npageClass: wide\naside: false\n---\n\n' }

/** Puts the pages of `docs/` and of the project where VitePress reads them. */
export function writeGuide() {
  mkdirSync(join(generated, 'public'), { recursive: true })
  copyFileSync(join(root, 'site/home.md'), join(generated, 'index.md'))
  for (const file of ['site/logo.svg', 'docs/picture.svg']) {
    copyFileSync(join(root, file), join(generated, 'public', basename(file)))
  }
  for (const name of docs) {
    if (name.endsWith('.svg')) copyFileSync(join(root, 'docs', name), join(generated, name))
    else if (name !== 'README.md')
      writePage(name, (wide[name] ?? '') + readLinked(`docs/${name}`, name))
  }
  for (const [file, page] of Object.entries(project)) writePage(page, readLinked(file, page))
}
