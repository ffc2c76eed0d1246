/** Internal: compares files, and shows their names. */

import { createHash } from 'node:crypto'
import { createReadStream, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import { FileError, isStandardInput } from '@kith/base'

/** Links that are followed one after the other, as Linux does. */
const MOST_LINKS = 40

/**
 * An id of a file or folder that is the same through links and other spellings; undefined for pipes
 * and devices, which hold nothing that could be replaced.
 */
export function identityOf(path: string, links = 0): string | undefined {
  const found = statOf(path)
  if (found) {
    return found.isFile() || found.isDirectory() ? `${found.dev}:${found.ino}` : undefined
  }
  const target = links < MOST_LINKS ? linkTarget(path) : undefined
  if (target !== undefined) return identityOf(target, links + 1)
  // A file that is still to be made is known by its folder and its name.
  const full = resolve(path)
  return full === dirname(full) ? full : `${identityOf(dirname(full))}/${basename(full)}`
}

/** The status of a file or folder; undefined if there is none. */
export function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    // A file instead of a folder, or a link to itself, counts as missing.
    return undefined
  }
}

/** The target of a dangling link. */
function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path))
  } catch {
    return undefined
  }
}

/** The identity of a file's contents. */
export interface Digest {
  bytes: number
  sha256: string
}

/** Reads a file for its digest. */
export async function digestOf(file: string): Promise<Digest> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).length
    }
  } catch (error) {
    throw new FileError(file, '', `cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/**
 * A path as pages show it: relative to the working folder, since a page that is handed on should not
 * tell how the machine of its maker is laid out. Pipes and devices keep their names.
 */
export function shownPath(path: string): string {
  if (!isAbsolute(path) || path.startsWith('/dev/')) return path
  return relative(process.cwd(), path) || '.'
}

/** Settings with the paths among them as pages show them. */
export function shownPaths(value: unknown): unknown {
  if (typeof value === 'string') return shownPath(value)
  if (Array.isArray(value)) return value.map(shownPaths)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, shownPaths(own)]))
}

/**
 * A dataset's name: the name of the folder with its judgments or texts; BEIR has a separate folder
 * for judgments.
 */
export function collectionName(file: string): string | undefined {
  if (isStandardInput(file)) return undefined
  const folder = dirname(resolve(file))
  const name = basename(folder)
  return (name === 'qrels' ? basename(dirname(folder)) : name) || undefined
}
