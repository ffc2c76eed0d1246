import { relative, sep } from 'node:path'
import { KithError } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import type { Hooks } from '../job/hooks.ts'
import { markdownFiles } from './markdown-files.ts'
import { LONGEST_HEADING, MOST_PASSAGES, markdownPassages } from './markdown-passages.ts'
import { Tally } from './tally.ts'

/**
 * Files, bytes (with the titles of passages) and passages of a folder: its texts are kept in memory,
 * and so are its embeddings, 0.6 GB for 400,000 passages of 384 dimensions.
 */
const MOST_FILES = 100_000
const MOST_BYTES = 2 ** 28
const MOST_IN_FOLDER = 400_000

/** The advice for folders beyond the limits. */
const ADVICE = 'make a corpus of it, encode it with kith encode, and open docs and corpus'

/**
 * The passages of all Markdown files below a folder, in the order of their names. A file that cannot
 * be used does not stop the others: what is left out or cut is counted in remarks.
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
      throw new KithError('BAD_INPUT', `${folder} has more than ${most} of Markdown: ${ADVICE}`)
    }
  }
  for (const remark of tally.remarks()) onRemark?.(remark)
  if (passages.length > 0) return passages
  throw new KithError('BAD_INPUT', `${folder} has no Markdown files (.md) with text in them`)
}
