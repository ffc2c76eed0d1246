import { lineError } from '../io/file-error.ts'
import type { InputFile } from '../io/input-file.ts'
import { jsonId, parseJsonLine } from '../io/json-line.ts'
import { mapLines } from '../io/lines.ts'
import type { TextEntry } from './texts.ts'

/** Reads BEIR texts: `{"_id", "title", "text"}` per line (or `id`, and Pyserini's `contents`). */
export async function* readJsonTexts(input: InputFile): AsyncGenerator<TextEntry> {
  const file = input.name
  yield* mapLines(input, (source, line) => {
    if (source.trim() === '') return undefined
    const value = parseJsonLine(file, line, source)
    const id = jsonId(file, line, '_id', value['_id'] ?? value['id'])
    const text = value['text'] ?? value['contents']
    if (typeof text !== 'string') throw lineError(file, line, 'expected a text that is a string')
    const title = value['title'] ?? ''
    if (typeof title !== 'string') throw lineError(file, line, 'expected a title that is a string')
    return title === '' ? { id, text } : { id, title, text }
  })
}

/** A text as a line of BEIR's JSONL. */
export function formatTextJson({ id, title, text }: TextEntry): string {
  const entry = title === undefined ? { _id: id, text } : { _id: id, title, text }
  return `${JSON.stringify(entry)}\n`
}
