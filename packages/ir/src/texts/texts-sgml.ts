import { type InputFile, lineError, mapLines } from '@kith/base'
import type { TextEntry } from './texts.ts'

/** Reads TREC documents (`<DOC><DOCNO>`) or topics (`<top><num><title>`). */
export async function* readSgmlTexts(input: InputFile): AsyncGenerator<TextEntry> {
  const cutter = new RecordCutter(input.name)
  for await (const records of mapLines(input, (text, line) => cutter.push(text, line)))
    yield* records
  cutter.end()
}

/** Formats a text as a TREC document. */
export function formatDocument({ id, title, text }: TextEntry): string {
  const head = title ? `<TITLE>${escapedText(title)}</TITLE>\n` : ''
  const body = `<TEXT>\n${escapedText(text)}\n</TEXT>`
  return `<DOC>\n<DOCNO>${escapedText(id)}</DOCNO>\n${head}${body}\n</DOC>\n`
}

/** Formats a text as a TREC topic. */
export function formatTopic({ id, text }: TextEntry): string {
  // Topics may have the prefix "Topic:"; a text that begins with it keeps it, with its first letter
  // escaped.
  const title = /^topic:/i.test(text)
    ? reference(text[0]!) + escapedText(text.slice(1))
    : escapedText(text)
  return `<top>\n<num> Number: ${escapedText(id)}\n<title> ${title}\n</top>\n`
}

/** Returns the reason why a document cannot be read back unchanged; undefined if it can. */
export function lostInDocument({ id }: TextEntry): string | undefined {
  return id === '' ? 'the id is empty' : undefined
}

/** Returns the reason why a topic cannot be read back unchanged; undefined if it can. */
export function lostInTopic(entry: TextEntry): string | undefined {
  return entry.title ? 'topics cannot express titles' : lostInDocument(entry)
}

/** Joins the title with the text, since topics cannot express titles. */
export function flattenForTopic({ id, title, text }: TextEntry): TextEntry {
  return { id, text: title ? `${title} ${text}` : text }
}

/**
 * Maximum length of a record in characters: a record without an end would otherwise collect the
 * whole file.
 */
const LONGEST = 64 << 20

/** Cuts records out of lines: a record may span several lines, or several records share a line. */
class RecordCutter {
  /** The parts of the open record that were read so far, after its first tag. */
  #parts: string[] = []
  #length = 0
  /** The open record's tag, in lower case; empty between records. */
  #name = ''
  #start = 0

  constructor(readonly file: string) {}

  push(line: string, number: number): TextEntry[] | undefined {
    let records: TextEntry[] | undefined
    let from = 0
    for (const match of line.matchAll(/<(\/?)(doc|top)>/gi)) {
      const name = match[2]!.toLowerCase()
      const closing = match[1] === '/'
      // A document's text may contain the tag of a topic; only the record's own tag matters.
      if (this.#name !== '' && name !== this.#name) continue
      if (closing === (this.#name === '')) this.#misplaced(match[0], number)
      if (closing) {
        this.#keep(line.slice(from, match.index))
        records ??= []
        records.push(this.#record())
      } else {
        this.#name = name
        this.#start = number
      }
      from = match.index + match[0].length
    }
    if (this.#name !== '') this.#keep(`${line.slice(from)}\n`)
    return records
  }

  /** Throws if a record is still open. */
  end(): void {
    if (this.#name === '') return
    throw lineError(this.file, this.#start, `the <${this.#tag()}> that starts here has no end`)
  }

  #keep(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#length > LONGEST) this.end()
  }

  #record(): TextEntry {
    const body = this.#parts.join('')
    const parse = this.#name === 'doc' ? parseDocument : parseTopic
    this.#parts = []
    this.#length = 0
    this.#name = ''
    return parse(this.file, this.#start, body)
  }

  #misplaced(found: string, line: number): never {
    this.end()
    throw lineError(this.file, line, `${found} without an opening tag`)
  }

  #tag(): string {
    return this.#name === 'doc' ? 'DOC' : 'top'
  }
}

function parseDocument(file: string, line: number, body: string): TextEntry {
  const number = elementOf(body, 'DOCNO')
  const id = number && plainText(number.inside)
  if (!id) throw lineError(file, line, 'the <DOC> that starts here has no <DOCNO>')
  const rest = body.slice(0, number.from) + body.slice(number.to)
  const head = elementOf(rest, 'TITLE') ?? elementOf(rest, 'HEADLINE')
  const title = head && plainText(head.inside)
  const without = head ? `${rest.slice(0, head.from)} ${rest.slice(head.to)}` : rest
  const texts = elementsOf(rest, 'TEXT').map(({ inside }) => plainText(inside))
  const text = texts.length > 0 ? texts.join('\n') : plainText(without)
  return title ? { id, title, text } : { id, text }
}

function parseTopic(file: string, line: number, body: string): TextEntry {
  const id = field(body, 'num', /^Number:/i)
  if (!id) throw lineError(file, line, 'the <top> that starts here has no <num>')
  const text = field(body, 'title', /^Topic:/i)
  if (text === undefined) throw lineError(file, line, 'the <top> that starts here has no <title>')
  return { id, text }
}

/**
 * Returns the text from a topic's tag to the next tag, without a prefix; topics do not close their
 * tags.
 */
function field(body: string, name: string, prefix: RegExp): string | undefined {
  const end = /<\/?(?:num|title|desc|narr|dom|smry|con|fac|def)>/gi
  const found = elementOf(body, name, { end, open: true })
  return found && plainText(found.inside.trim().replace(prefix, ''))
}

/** The position of an element in a text, with and without its tags. */
interface Element {
  from: number
  to: number
  inside: string
}

/**
 * Finds the text between a tag and its end, in upper or lower case: from the first such tag to the
 * first end after it. One pass finds each of them, since neither pattern can match in two ways.
 *
 * @param end Matches the end; without a match, the element extends to the end of the text if `open`
 * is set.
 */
function elementOf(
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

/** Returns all elements with a name, in order. */
function elementsOf(text: string, name: string): Element[] {
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

/**
 * Returns the plain text of SGML: without tags and surrounding white space, with entities decoded.
 */
function plainText(source: string): string {
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
 * Escapes a text so that `plainText` returns it unchanged: markup, leading and trailing white
 * space, which would be trimmed, and carriage returns, which end lines.
 */
function escapedText(text: string): string {
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

/** Formats a character as a numeric reference. */
function reference(character: string): string {
  return `&#${character.codePointAt(0)};`
}
