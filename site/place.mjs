import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** The folder of the pages that VitePress reads; git ignores it. */
export const generated = join(root, 'site/generated')

/** Writes one of these pages. */
export function writePage(name, text) {
  const file = join(generated, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
