import { isIllFormed, lineError } from '@kith/base'

/** Parses a line that contains one JSON object. */
export function parseJsonLine(file: string, line: number, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw lineError(file, line, `not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw lineError(file, line, 'expected a JSON object')
  }
  // An unpaired surrogate can only come from an escape: the bytes of the line are UTF-8.
  if (text.includes('\\u') && /\\ud/i.test(text) && isIllFormed(stringsOf(value).join(' '))) {
    throw lineError(file, line, 'a string contains half a surrogate pair (\\ud800 to \\udfff)')
  }
  return value as Record<string, unknown>
}

/**
 * Reads an id in JSON: a text, or an exact whole number. The parser keeps only 17 digits of
 * 12345678901234567890, which would be a different id.
 */
export function jsonId(file: string, line: number, name: string, id: unknown): string {
  if (typeof id === 'string') return id
  if (typeof id !== 'number') {
    throw lineError(file, line, `${name} must be a string or a number`)
  }
  if (Number.isSafeInteger(id)) return String(id)
  throw lineError(file, line, `${name} is too large for a JSON number; write it in quotes`)
}

/** Returns all texts in a JSON value, including names. */
function stringsOf(value: unknown): string[] {
  const strings: string[] = []
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') strings.push(next)
    else if (typeof next === 'object' && next !== null) {
      for (const [name, part] of Object.entries(next)) {
        strings.push(name)
        open.push(part)
      }
    }
  }
  return strings
}
