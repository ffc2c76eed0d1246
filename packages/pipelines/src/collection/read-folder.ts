import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { KithError } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import { FileError, type TextEntry } from '@kith/ir'
import { asFileError } from '@kith/ir/internal'
import type { Hooks } from '../hooks.ts'
import { markdownPassages } from './markdown-passages.ts'

/** Bytes of a file that is read; a larger one is hardly written by hand. */
const LARGEST_FILE = 2 ** 22
/** Files and bytes of a folder: its texts are kept in memory. */
const MOST_FILES = 100_000
const MOST_BYTES = 2 ** 28

const decoder = new TextDecoder()

/** The advice for folders beyond the limits. */
const ADVICE = 'make a corpus of it, encode it with kith encode, and open docs and corpus'

/**
 * The passages of all Markdown files below a folder, in the order of their names. Links are not
 * followed; hidden files and folders, and `node_modules`, are passed over.
 */
export async function readFolder(
  folder: string,
  { onRemark, signal }: Hooks,
): Promise<TextEntry[]> {
  const passages: TextEntry[] = []
  const leftOut: string[] = []
  let [files, bytes] = [0, 0]
  for await (const file of markdownFiles(folder)) {
    throwIfAborted(signal)
    const read = await readMarkdown(file)
    files++
    if (read === undefined) {
      leftOut.push(file)
      continue
    }
    bytes += read.bytes
    if (files > MOST_FILES || bytes > MOST_BYTES) {
      const most = `${MOST_FILES} files and ${MOST_BYTES / 2 ** 20} MB`
      throw new KithError('BAD_INPUT', `${folder} has more than ${most} of Markdown: ${ADVICE}`)
    }
    const name = relative(folder, file).split(sep).join('/')
    for (const passage of markdownPassages(name, read.text)) passages.push(passage)
  }
  if (leftOut.length > 0) {
    const why = `not UTF-8, or larger than ${LARGEST_FILE / 2 ** 20} MB`
    onRemark?.(`${leftOut.length} files are left out, which are ${why}: ${leftOut[0]}`)
  }
  if (passages.length > 0) return passages
  throw new KithError('BAD_INPUT', `${folder} has no Markdown files (.md) with text in them`)
}

async function* markdownFiles(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    throw asFileError(folder, error)
  })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* markdownFiles(path)
    else if (entry.isFile() && /\.(md|markdown)$/i.test(entry.name)) yield path
  }
}

/** A file's text and size; undefined where it is too large or no text. */
async function readMarkdown(file: string): Promise<{ text: string; bytes: number } | undefined> {
  let handle: FileHandle | undefined
  try {
    // A link or a pipe may have taken the file's place since the folder was read.
    const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    handle = await open(file, constants.O_RDONLY | safely)
    const found = await handle.stat()
    if (!found.isFile()) throw new FileError(file, '', 'is no file any more')
    if (found.size > LARGEST_FILE) return undefined
    const bytes = await handle.readFile()
    // Decoding leaves out a byte order mark, which would hide a heading.
    return isUtf8(bytes) ? { text: decoder.decode(bytes), bytes: bytes.length } : undefined
  } catch (error) {
    throw asFileError(file, error)
  } finally {
    await handle?.close()
  }
}
