import { type InputFile, lineError, mapLines } from '@kith/base'
import { elementOf, elementsOf, escapedText, plainText, reference } from './sgml-tags.ts'
import type { TextEntry } from './texts.ts'

/** Reads TREC documents (`<DOC><DOCNO>`) or topics (`<top><num><title>`). */
export async function* readSgmlTexts(input: InputFile): AsyncGenerator<TextEntry> {
  const cutter = new RecordCutter(input.name)
  for await (const records of mapLines(input, (text, line) => cutter.push(text, line)))
    yield* records
  cutter.end()
}

/** A text as a TREC document. */
export function formatDocument({ id, title, text }: TextEntry): string {
  const head = title ? `<TITLE>${escapedText(title)}</TITLE>\n` : ''
  const body = `<TEXT>\n${escapedText(text)}\n</TEXT>`
  return `<DOC>\n<DOCNO>${escapedText(id)}</DOCNO>\n${head}${body}\n</DOC>\n`
}

/** A text as a TREC topic. */
export function formatTopic({ id, text }: TextEntry): string {
  // A text that begins with the word that topics have there keeps it, its first letter as a number.
  const title = /^topic:/i.test(text)
    ? reference(text[0]!) + escapedText(text.slice(1))
    : escapedText(text)
  return `<top>\n<num> Number: ${escapedText(id)}\n<title> ${title}\n</top>\n`
}

/** Why a text does not come back from a document as it is, undefined where it does. */
export function lostInDocument({ id }: TextEntry): string | undefined {
  return id === '' ? 'the id is empty' : undefined
}

/** Why a text does not come back from a topic as it is, undefined where it does. */
export function lostInTopic(entry: TextEntry): string | undefined {
  return entry.title ? 'topics have no place for its title' : lostInDocument(entry)
}

/** A text that a topic has a place for: the title joins the text. */
export function flattenForTopic({ id, title, text }: TextEntry): TextEntry {
  return { id, text: title ? `${title} ${text}` : text }
}

/** The longest record, in characters: one without an end would otherwise gather the whole file. */
const LONGEST = 64 << 20

/** Cuts records out of lines: a record takes several, or several share one. */
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
      // A document may speak of topics; only its own tag matters.
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

  /** Checks that no record is open. */
  end(): void {
    if (this.#name === '') return
    throw lineError(this.file, this.#start, `a <${this.#tag()}> starts here and does not end`)
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
    throw lineError(this.file, line, `${found} without one that opens it`)
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

/** The text from a topic's tag to the next one, since topics do not close them, without a prefix. */
function field(body: string, name: string, prefix: RegExp): string | undefined {
  const end = /<\/?(?:num|title|desc|narr|dom|smry|con|fac|def)>/gi
  const found = elementOf(body, name, { end, open: true })
  return found && plainText(found.inside.trim().replace(prefix, ''))
}
