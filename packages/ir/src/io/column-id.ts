import { FileError } from '@kith/base'

/** A text that is one column between white space, as C's `isspace` has it, and has UTF-8 bytes. */
export const oneColumn = /^[^\t-\r \p{Surrogate}]+$/u

/**
 * Checks that an id comes back as it was from a file of columns: white space would shift the
 * columns, and what begins a line with `#` is a comment, with `{` JSON, with a byte order mark
 * another id.
 *
 * @param first Whether it is the first column of its line.
 */
export function checkColumnId(file: string, id: string, first = false): void {
  if (oneColumn.test(id) && !(first && /^[#{\ufeff]/.test(id))) return
  const why = oneColumn.test(id) ? `: a line must not begin with ${JSON.stringify(id[0])}` : ''
  throw new FileError(file, '', `the id ${JSON.stringify(id)} does not fit a column${why}`)
}
