import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** A file of the repository. */
export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }

/** The pages of the documentation. */
export const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...workspaces.filter((folder) => folder !== 'site').map((folder) => `${folder}/README.md`),
]

/** The code blocks of a language on a page, and the lines that they begin at. */
export function fencesOf(page: string, language: string): { code: string; line: number }[] {
  const text = read(page)
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\``, 'gm'))].map(
    (match) => ({ code: match[1]!, line: text.slice(0, match.index).split('\n').length }),
  )
}
