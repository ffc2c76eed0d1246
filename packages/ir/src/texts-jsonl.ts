import { lineError } from './file-error.ts'
import { mapLines, parseJsonLine } from './lines.ts'
import type { TextEntry } from './texts.ts'

/** Reads BEIR texts: `{"_id", "title", "text"}` per line (or `id`, and Pyserini's `contents`). */
export async function* readJsonTexts(file: string): AsyncGenerator<TextEntry> {
  yield* mapLines(file, (source, line) => {
    if (source.trim() === '') return undefined
    const value = parseJsonLine(file, line, source)
    const id = value['_id'] ?? value['id']
    const text = value['text'] ?? value['contents']
    if (typeof id !== 'string' && typeof id !== 'number') {
      throw lineError(file, line, 'expected an _id that is a string or a number')
    }
    if (typeof text !== 'string') throw lineError(file, line, 'expected a text that is a string')
    const title = value['title']
    const entry = { id: String(id), text }
    return typeof title === 'string' && title !== '' ? { ...entry, title } : entry
  })
}

/** A text as a line of BEIR's JSONL. */
export function formatTextJson({ id, title, text }: TextEntry): string {
  const entry = title === undefined ? { _id: id, text } : { _id: id, title, text }
  return `${JSON.stringify(entry)}\n`
}
