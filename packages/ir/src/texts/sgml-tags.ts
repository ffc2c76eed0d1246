/** An element's place in a text: with its tags, and without them. */
export interface Element {
  from: number
  to: number
  inside: string
}

/**
 * The text between a tag and its end, in upper or lower case: from the first such tag to the first
 * end behind it. Both are found in one pass each, since neither pattern can match in two ways.
 *
 * @param end Matches where it ends; without a match, the text's end does where `open` is set.
 */
export function elementOf(
  text: string,
  name: string,
  { end = new RegExp(`</${name}>`, 'gi'), open = false } = {},
): Element | undefined {
  const start = new RegExp(`<${name}>`, 'gi')
  const first = start.exec(text)
  if (!first) return undefined
  end.lastIndex = start.lastIndex
  const last = end.exec(text)
  if (!last && !open) return undefined
  const inside = text.slice(start.lastIndex, last?.index)
  return { from: first.index, to: last ? end.lastIndex : text.length, inside }
}

/** All elements of a name, one behind the other. */
export function elementsOf(text: string, name: string): Element[] {
  const found: Element[] = []
  const tag = new RegExp(`<(/?)${name}>`, 'gi')
  let [from, start] = [-1, 0]
  for (let match = tag.exec(text); match; match = tag.exec(text)) {
    const closing = match[1] === '/'
    if (!closing && from < 0) [from, start] = [match.index, tag.lastIndex]
    if (!closing || from < 0) continue
    found.push({ from, to: tag.lastIndex, inside: text.slice(start, match.index) })
    from = -1
  }
  return found
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The words of a text: without tags and the white space around it, with its entities decoded. */
export function plainText(source: string): string {
  return source
    .replace(/<\/?[a-z][a-z0-9]*>/gi, ' ')
    .trim()
    .replace(/&(amp|lt|gt|quot|apos|#[0-9]{1,7});/g, (entity, name: string) => {
      if (!name.startsWith('#')) return entities[name]!
      const code = Number(name.slice(1))
      const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      return isCharacter ? String.fromCodePoint(code) : entity
    })
}

/**
 * A text that `plainText` gives back as it is: no tags, and white space at its ends, which would
 * be cut off, and carriage returns, which end lines, as numbers.
 */
export function escapedText(text: string): string {
  const escaped = text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\r/g, reference)
  const start = escaped.length - escaped.trimStart().length
  if (start === escaped.length) return Array.from(escaped, reference).join('')
  const end = escaped.trimEnd().length
  const [before, after] = [escaped.slice(0, start), escaped.slice(end)]
  const middle = escaped.slice(start, end)
  return Array.from(before, reference).join('') + middle + Array.from(after, reference).join('')
}

/** A character by its number. */
export function reference(character: string): string {
  return `&#${character.codePointAt(0)};`
}
