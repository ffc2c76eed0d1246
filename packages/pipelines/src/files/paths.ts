/** Internal: compares files, and formats their names for pages. */

import { createHash } from 'node:crypto'
import { createReadStream, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import { FileError, isStandardInput } from '@kith/base'

/** Maximum number of links to follow, as in Linux. */
const MOST_LINKS = 40

/**
 * Returns an id of a file or folder that does not depend on links and spelling; undefined for pipes
 * and devices, which cannot be overwritten.
 */
export function identityOf(path: string, links = 0): string | undefined {
  const found = statOf(path)
  if (found) {
    return found.isFile() || found.isDirectory() ? `${found.dev}:${found.ino}` : undefined
  }
  const target = links < MOST_LINKS ? linkTarget(path) : undefined
  if (target !== undefined) return identityOf(target, links + 1)
  // A file that does not exist yet is identified by its folder and its name.
  const full = resolve(path)
  return full === dirname(full) ? full : `${identityOf(dirname(full))}/${basename(full)}`
}

/** Returns the status of a file or folder, or undefined if it does not exist. */
export function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    // A file in place of a folder, or a link to itself, counts as missing.
    return undefined
  }
}

/** Returns the target of a dangling link. */
function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path))
  } catch {
    return undefined
  }
}

/** The size and the hash of a file's contents. */
export interface Digest {
  bytes: number
  sha256: string
}

/** Computes the digest of bytes that come in parts. */
export class Digester {
  readonly #hash = createHash('sha256')
  #bytes = 0

  readonly add = (bytes: Uint8Array): void => {
    this.#hash.update(bytes)
    this.#bytes += bytes.length
  }

  end(): Digest {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

/** Computes the digest of a file's contents. */
export async function digestOf(file: string): Promise<Digest> {
  const digester = new Digester()
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      digester.add(chunk as Buffer)
    }
  } catch (error) {
    throw new FileError(file, '', `cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  return digester.end()
}

/**
 * Formats a path for a page: relative to the working directory, so that a shared page does not
 * reveal the author's folders. Pipes and devices keep their names.
 */
export function shownPath(path: string): string {
  if (!isAbsolute(path) || path.startsWith('/dev/')) return path
  return relative(process.cwd(), path) || '.'
}

/** Formats the paths in settings for a page. */
export function shownPaths(value: unknown): unknown {
  if (typeof value === 'string') return shownPath(value)
  if (Array.isArray(value)) return value.map(shownPaths)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, shownPaths(own)]))
}

/**
 * Returns a dataset's name: the name of the folder with its judgments or texts. BEIR has a separate
 * folder for judgments.
 */
export function collectionName(file: string): string | undefined {
  if (isStandardInput(file)) return undefined
  const folder = dirname(resolve(file))
  const name = basename(folder)
  return (name === 'qrels' ? basename(dirname(folder)) : name) || undefined
}
