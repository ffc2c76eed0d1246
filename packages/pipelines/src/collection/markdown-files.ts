import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asFileError } from '@kith/base'
import type { Tally } from './tally.ts'

/** Bytes of a file that is read; a larger one is hardly written by hand. */
const LARGEST_FILE = 2 ** 22

const REPLACED = 'replaced while the folder was read'

const decoder = new TextDecoder()

/** A Markdown file. */
export interface MarkdownFile {
  file: string
  text: string
  bytes: number
}

/**
 * Reads the Markdown files below a folder, in the order of their names. Links are not followed;
 * hidden files and folders, and `node_modules`, are passed over. Files and folders that cannot be
 * read are counted and left out; only the folder itself must be readable.
 */
export async function* markdownFiles(root: string, leftOut: Tally): AsyncGenerator<MarkdownFile> {
  const entries = await entriesOf(root).catch((error) => {
    throw asFileError(root, error)
  })
  yield* filesOf(root, entries, leftOut)
}

type Entries = Awaited<ReturnType<typeof entriesOf>>

/** Names come as bytes: as text, those that are not UTF-8 would name no file, or another one. */
function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true, encoding: 'buffer' })
}

async function* filesOf(
  folder: string,
  entries: Entries,
  leftOut: Tally,
): AsyncGenerator<MarkdownFile> {
  const named = entries.map((entry) => ({ entry, name: entry.name.toString() }))
  named.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { entry, name } of named) {
    if (name.startsWith('.') || name === 'node_modules') continue
    const markdown = entry.isFile() && /\.(md|markdown)$/i.test(name)
    if (!markdown && !entry.isDirectory()) continue
    const path = join(folder, name)
    const found = !isUtf8(entry.name)
      ? 'name is not UTF-8'
      : await (markdown ? readMarkdown(path) : entriesOf(path)).catch(reasonOf)
    if (typeof found === 'string') {
      leftOut.add(`${markdown ? 'files' : 'folders'} left out (${found})`, path)
    } else if (Array.isArray(found)) yield* filesOf(path, found, leftOut)
    else yield { file: path, ...found }
  }
}

/** A file's text and size, or why it is left out. */
async function readMarkdown(file: string): Promise<Omit<MarkdownFile, 'file'> | string> {
  const tooLarge = `larger than ${LARGEST_FILE / 2 ** 20} MB`
  let handle: FileHandle | undefined
  try {
    // A link or a pipe may have taken the file's place since the folder was read.
    const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    handle = await open(file, constants.O_RDONLY | safely)
    const found = await handle.stat()
    if (!found.isFile()) return REPLACED
    if (found.size > LARGEST_FILE) return tooLarge
    const bytes = await handle.readFile()
    // It may have grown since.
    if (bytes.length > LARGEST_FILE) return tooLarge
    // Decoding leaves out a byte order mark, which would hide a heading.
    return isUtf8(bytes) ? { text: decoder.decode(bytes), bytes: bytes.length } : 'not UTF-8'
  } finally {
    await handle?.close()
  }
}

/** Why the system did not read a file or folder that was there a moment ago. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const code = error.code ?? error.message
  if (code === 'ENOENT') return 'removed while the folder was read'
  if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO') return REPLACED
  return code === 'EACCES' ? 'no permission to read' : `cannot be read: ${code}`
}
