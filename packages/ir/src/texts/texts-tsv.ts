import { type InputFile, lineError, mapLines } from '@kith/base'
import type { TextEntry } from './texts.ts'

/** Reads MS MARCO texts: id and text per line, separated by a tab. */
export async function* readTsvTexts(input: InputFile): AsyncGenerator<TextEntry> {
  const file = input.name
  yield* mapLines(input, (source, line) => {
    if (source.trim() === '') return undefined
    const fields = source.split('\t')
    if (fields.length !== 2) throw lineError(file, line, `expected 2 fields, got ${fields.length}`)
    const id = fields[0]!.trim()
    if (id === '') throw lineError(file, line, 'the id is empty')
    return { id, text: fields[1]! }
  })
}

/** A text as a line of TSV. */
export function formatTextLine({ id, text }: TextEntry): string {
  return `${id}\t${text}\n`
}

/** Why a text does not come back from TSV as it is, undefined where it does. */
export function lostInTsv({ id, title, text }: TextEntry): string | undefined {
  if (id === '' || id !== id.trim() || /[\t\r\n]/.test(id)) return 'the id does not fit a column'
  // A file that begins so is read as JSON or SGML.
  if (/^[{<]/.test(id)) return `a line must not begin with ${JSON.stringify(id[0])}`
  if (title) return 'tsv has no place for its title'
  return /[\t\r\n]/.test(text) ? 'tsv has no place for the tabs or line breaks in it' : undefined
}

/** A text that TSV has a place for: the title joins the text, tabs and line breaks become spaces. */
export function flattenForTsv({ id, title, text }: TextEntry): TextEntry {
  const whole = title ? `${title} ${text}` : text
  return { id, text: whole.replace(/[\t\r\n]+/g, ' ') }
}
