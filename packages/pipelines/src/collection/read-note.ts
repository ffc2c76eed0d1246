import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { asFileError, FileError } from '@kith/base'
import type { TextEntry } from '@kith/ir'
import type { CollectionDocument } from './collection.ts'
import { readMarkdown } from './read-folder.ts'

/** The line, and the column, at the end of a passage's id. */
const PLACE = /(:\d+){1,2}$/

/**
 * A reader of the files that passages came from, by their path in the folder. Any other path, even of
 * a file in the folder, gives undefined; so nothing outside the folder can be read.
 *
 * @throws (the reader) A `FileError` if the file has gone since, or a link leads elsewhere.
 */
export function noteReader(folder: string, passages: readonly TextEntry[]) {
  const paths = new Set(passages.map(({ id }) => id.replace(PLACE, '')))
  return async (path: string): Promise<CollectionDocument | undefined> => {
    if (!paths.has(path)) return undefined
    const advice = 'open the collection again'
    try {
      const root = await realpath(folder)
      const file = join(root, ...path.split('/'))
      if ((await realpath(file)) !== file) {
        throw new FileError(path, '', `has become a symbolic link, or its folder has; ${advice}`)
      }
      const found = await readMarkdown(file)
      if (typeof found === 'string') throw new FileError(path, '', `${found}; ${advice}`)
      return { id: path, text: found.text }
    } catch (error) {
      throw asFileError(path, error)
    }
  }
}
