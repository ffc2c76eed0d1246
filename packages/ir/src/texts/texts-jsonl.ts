import { type InputFile, lineError, mapLines } from '@kith/base'
import { jsonId, parseJsonLine } from '../io/json-line.ts'
import type { TextEntry } from './texts.ts'

/** Reads BEIR texts: `{"_id", "title", "text"}` per line (or `id`, and Pyserini's `contents`). */
export async function* readJsonTexts(input: InputFile): AsyncGenerator<TextEntry> {
  const file = input.name
  yield* mapLines(input, (source, line) => {
    if (source.trim() === '') return undefined
    const value = parseJsonLine(file, line, source)
    const id = jsonId(file, line, '_id', value['_id'] ?? value['id'])
    const text = value['text'] ?? value['contents']
    if (typeof text !== 'string')
      throw lineError(file, line, noString('text or contents', text, value))
    const title = value['title'] ?? ''
    if (typeof title !== 'string') throw lineError(file, line, noString('title', title, value))
    return title === '' ? { id, text } : { id, title, text }
  })
}

/** What is wrong with a field that should be a string; a missing one names the fields that exist. */
function noString(field: string, found: unknown, value: Record<string, unknown>): string {
  const expected = `expected the field ${field}, a string`
  if (found !== undefined && found !== null)
    return `${expected}, got ${JSON.stringify(found).slice(0, 40)}`
  return `${expected}; the fields are ${Object.keys(value).join(', ')}`
}

/** A text as a line of BEIR's JSONL. */
export function formatTextJson({ id, title, text }: TextEntry): string {
  const entry = title === undefined ? { _id: id, text } : { _id: id, title, text }
  return `${JSON.stringify(entry)}\n`
}
