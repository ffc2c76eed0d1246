import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { asFileError } from '@kith/base'
import { KithError } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import type { Hooks } from '../job/hooks.ts'
import { LONGEST_HEADING, MOST_PASSAGES, markdownPassages } from './markdown-passages.ts'

/**
 * Maximum numbers of files, bytes (including the titles of passages) and passages in a folder:
 * texts and embeddings stay in memory, 0.6 GB for 400,000 passages of 384 dimensions.
 */
const MOST_FILES = 100_000
const MOST_BYTES = 2 ** 28
const MOST_IN_FOLDER = 400_000

/** The advice for folders beyond the limits. */
const ADVICE =
  'write the texts to a corpus file, encode it with kith encode, and open docs and corpus'

/**
 * Reads the passages of all Markdown files below a folder, ordered by name. A file that cannot be
 * used does not stop the others: remarks report how many files and passages were left out or
 * truncated.
 */
export async function readFolder(
  folder: string,
  { onRemark, signal }: Hooks,
): Promise<TextEntry[]> {
  const passages: TextEntry[] = []
  const tally = new Tally()
  let [files, bytes] = [0, 0]
  for await (const read of markdownFiles(folder, tally)) {
    throwIfAborted(signal)
    const name = relative(folder, read.file).split(sep).join('/')
    const found = markdownPassages(name, read.text)
    tally.add(`headings cut to ${LONGEST_HEADING} characters`, read.file, found.cutHeadings)
    const beyond = `passages left out (beyond ${MOST_PASSAGES} in one file)`
    tally.add(beyond, read.file, found.leftOut)
    files++
    bytes += found.passages.reduce((sum, { title }) => sum + title!.length, read.bytes)
    for (const passage of found.passages) passages.push(passage)
    if (files > MOST_FILES || bytes > MOST_BYTES || passages.length > MOST_IN_FOLDER) {
      const most = `${MOST_FILES} files, ${MOST_BYTES / 2 ** 20} MB or ${MOST_IN_FOLDER} passages`
      throw new KithError(
        'BAD_INPUT',
        `${folder} has more Markdown than the limit of ${most}; ${ADVICE}`,
      )
    }
  }
  for (const remark of tally.remarks()) onRemark?.(remark)
  if (passages.length > 0) return passages
  throw new KithError(
    'BAD_INPUT',
    `${folder} has no Markdown or text files (.md, .txt) with text in them`,
  )
}

/** Maximum bytes of a file: larger files are hardly written by hand. */
const LARGEST_FILE = 2 ** 22

const REPLACED = 'replaced while the folder was read'

const decoder = new TextDecoder()

/** A Markdown file. */
interface MarkdownFile {
  file: string
  text: string
  bytes: number
}

/**
 * Yields the Markdown files below a folder, ordered by name. Skips links, hidden files and folders,
 * and `node_modules`. Counts and leaves out unreadable files and folders; only the folder itself
 * must be readable.
 */
async function* markdownFiles(root: string, leftOut: Tally): AsyncGenerator<MarkdownFile> {
  const entries = await entriesOf(root).catch((error) => {
    throw asFileError(root, error)
  })
  yield* filesOf(root, entries, leftOut)
}

type Entries = Awaited<ReturnType<typeof entriesOf>>

function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true })
}

/** Replaces bytes in a name that is not UTF-8: such a name matches no file, or another file. */
const REPLACEMENT_CHARACTER = '\uFFFD'

async function* filesOf(
  folder: string,
  entries: Entries,
  leftOut: Tally,
): AsyncGenerator<MarkdownFile> {
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const { name } = entry
    if (name.startsWith('.') || name === 'node_modules') continue
    const markdown = entry.isFile() && /\.(md|markdown|txt)$/i.test(name)
    if (!markdown && !entry.isDirectory()) continue
    const path = join(folder, name)
    const found = name.includes(REPLACEMENT_CHARACTER)
      ? 'name is not UTF-8'
      : await (markdown ? readMarkdown(path) : entriesOf(path)).catch(reasonOf)
    if (typeof found === 'string') {
      leftOut.add(`${markdown ? 'files' : 'folders'} left out (${found})`, path)
    } else if (Array.isArray(found)) yield* filesOf(path, found, leftOut)
    else yield { file: path, ...found }
  }
}

/** Reads a file's text and size, or returns why it is left out. */
export async function readMarkdown(file: string): Promise<Omit<MarkdownFile, 'file'> | string> {
  const tooLarge = `larger than ${LARGEST_FILE / 2 ** 20} MB`
  let handle: FileHandle | undefined
  try {
    // A link or a pipe may have replaced the file since the folder was read.
    const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    handle = await open(file, constants.O_RDONLY | safely)
    const found = await handle.stat()
    if (!found.isFile()) return REPLACED
    if (found.size > LARGEST_FILE) return tooLarge
    const bytes = await handle.readFile()
    // The file may have grown since `stat`.
    if (bytes.length > LARGEST_FILE) return tooLarge
    // The decoder removes a byte order mark, which would hide a heading.
    return isUtf8(bytes) ? { text: decoder.decode(bytes), bytes: bytes.length } : 'not UTF-8'
  } finally {
    await handle?.close()
  }
}

/** Describes why the system could not read a file or folder that was listed a moment ago. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const code = error.code ?? error.message
  if (code === 'ENOENT') return 'removed while the folder was read'
  if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO') return REPLACED
  return code === 'EACCES' ? 'no permission to read' : `cannot be read: ${code}`
}

/** Counts what was left out or truncated, by reason, with the first place for each reason. */
class Tally {
  readonly #counts = new Map<string, { count: number; first: string }>()

  /** @param what A reason with its noun, such as `files left out (not UTF-8)`. */
  add(what: string, place: string, count = 1): void {
    const known = this.#counts.get(what)
    if (known) known.count += count
    else if (count > 0) this.#counts.set(what, { count, first: place })
  }

  /** Returns one remark per reason. */
  remarks(): string[] {
    return Array.from(
      this.#counts,
      ([what, { count, first }]) => `${count} ${what}, such as ${first}`,
    )
  }
}
