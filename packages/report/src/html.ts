import { formatFigure } from '@kith/ir/internal'

/** HTML that is safe to insert into a page unchanged. */
export class Html {
  constructor(readonly source: string) {}
}

/**
 * A value in a template: texts and numbers are escaped, `Html` is not, undefined becomes an empty
 * text.
 */
type Part = Html | string | number | undefined | readonly Part[]

/** Builds HTML from a template whose values are escaped, so that no text can become markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((all, piece, i) => all + written(parts[i - 1]) + piece))
}

/**
 * Escapes a text for HTML or XML, between tags or in a quoted attribute. Removes marks that change
 * the writing direction: they would also change the direction of the rest of our own sentence.
 */
export function escaped(value: string): string {
  return value
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Formats a value as JSON for a script element: a `<` in a text could end the element. */
export function embeddedJson(value: unknown): Html {
  return new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
}

function written(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.source
  if (Array.isArray(part)) return part.map(written).join('')
  return escaped(String(part))
}

/** Formats a difference with its sign. */
export function signedFigure(value: number): string {
  return `${value < 0 ? '−' : '+'}${formatFigure(Math.abs(value))}`
}

/** Formats a p-value for a sentence. */
export function pInWords(p: number): string {
  if (!Number.isFinite(p)) return 'too few queries for a test'
  const value = p < 0.0001 ? 'p < 0.0001' : `p = ${p.toFixed(p < 0.05 ? 4 : 2)}`
  return p < 0.05 ? `significant, ${value}` : `not significant, ${value}`
}

/** Formats a whole number with thousands separators. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Truncates a text to a number of characters, with an ellipsis if it was longer. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  // Does not split a surrogate pair.
  const cut = text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')
  return `${cut}…`
}
