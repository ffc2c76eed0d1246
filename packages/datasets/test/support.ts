import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Nouns, readNouns } from '../src/index.ts'

/** A handful of synsets, written by hand. */
export const small = fileURLToPath(new URL('small', import.meta.url))

/** Writes a `data.noun` into a folder of the test's own, whose name it returns. */
export async function folderOf(contents: string): Promise<string> {
  const folder = await write(contents)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function write(contents: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-collections-'))
  await writeFile(join(folder, 'data.noun'), contents)
  return folder
}

/** A synset to be written: words with spaces, hypernyms by their first word. */
export interface Sketch {
  words: string[]
  above?: string[]
  gloss?: string
  /** The number of the lexical file; animals unless told. */
  file?: string
}

/** The nouns of some sketches, written in WordNet's format and read again. */
export async function nounsOf(sketches: readonly Sketch[]): Promise<Nouns> {
  const offsets = new Map(sketches.map(({ words }, i) => [words[0]!, offset(i)]))
  const lines = sketches.map(({ words, above = [], gloss = 'a thing', file = '05' }, i) => {
    const lemmas = words.map((word) => `${word.replaceAll(' ', '_')} 0`).join(' ')
    const pointers = above.map((name) => `@ ${offsets.get(name)} n 0000 `).join('')
    const counts = [words.length.toString(16).padStart(2, '0'), `${above.length}`.padStart(3, '0')]
    return `${offset(i)} ${file} n ${counts[0]} ${lemmas} ${counts[1]} ${pointers}| ${gloss}  \n`
  })
  const folder = await write(lines.join(''))
  try {
    return await readNouns(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sketches below one category, each with a name of its own. */
export function kinds(above: string[], names: string, count: number, gloss?: string): Sketch[] {
  return Array.from({ length: count }, (_, i) => ({
    words: [names.replace('#', `${i}`)],
    above,
    ...(gloss === undefined ? {} : { gloss }),
  }))
}

function offset(position: number): string {
  return `${position + 1}`.padStart(8, '0')
}
