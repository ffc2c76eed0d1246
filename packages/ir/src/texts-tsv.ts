import { lineError } from './file-error.ts'
import { mapLines } from './lines.ts'
import type { TextEntry } from './texts.ts'

/** Reads MS MARCO texts: id and text per line, separated by a tab. */
export async function* readTsvTexts(file: string): AsyncGenerator<TextEntry> {
  yield* mapLines(file, (source, line) => {
    if (source.trim() === '') return undefined
    const fields = source.split('\t')
    if (fields.length !== 2) throw lineError(file, line, `expected 2 fields, got ${fields.length}`)
    const id = fields[0]!.trim()
    if (id === '') throw lineError(file, line, 'the id is empty')
    return { id, text: fields[1]! }
  })
}

/** A text as a line of TSV: the title joins the text, tabs and line breaks become spaces. */
export function formatTextLine({ id, title, text }: TextEntry): string {
  const whole = title === undefined || title === '' ? text : `${title} ${text}`
  return `${id}\t${whole.replace(/[\t\r\n]+/g, ' ')}\n`
}
