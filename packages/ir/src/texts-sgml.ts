import { lineError } from './file-error.ts'
import { mapLines } from './lines.ts'
import type { TextEntry } from './texts.ts'

/** Reads TREC documents (`<DOC><DOCNO>`) or topics (`<top><num><title>`). */
export async function* readSgmlTexts(file: string): AsyncGenerator<TextEntry> {
  const cutter = new RecordCutter(file)
  for await (const records of mapLines(file, (text, line) => cutter.push(text, line)))
    yield* records
  cutter.end()
}

/** A text as a TREC document. */
export function formatDocument({ id, title, text }: TextEntry): string {
  const head = title === undefined ? '' : `<TITLE>${escaped(title)}</TITLE>\n`
  return `<DOC>\n<DOCNO>${escaped(id)}</DOCNO>\n${head}<TEXT>\n${escaped(text)}\n</TEXT>\n</DOC>\n`
}

/** A text as a TREC topic. */
export function formatTopic({ id, text }: TextEntry): string {
  return `<top>\n<num> Number: ${escaped(id)}\n<title> ${escaped(text)}\n</top>\n`
}

/** A record without an end must not gather the whole file. */
const LONGEST = 64 << 20

/** Gathers lines until a record ends; records may also share a line. */
class RecordCutter {
  #text = ''
  #start = 0

  constructor(readonly file: string) {}

  push(line: string, number: number): TextEntry[] | undefined {
    if (this.#text === '') {
      if (!/<(DOC|top)>/i.test(line)) return undefined
      this.#start = number
    }
    this.#text += `${line}\n`
    if (this.#text.length > LONGEST) this.end()
    const closing = /<\/(DOC|top)>/i
    let records: TextEntry[] | undefined
    for (let end = closing.exec(line) && closing.exec(this.#text); end; ) {
      const record = this.#text.slice(0, end.index)
      records ??= []
      records.push(parseRecord(this.file, this.#start, record))
      this.#text = this.#text.slice(end.index + end[0].length).trimStart()
      this.#start = number
      end = closing.exec(this.#text)
    }
    return records
  }

  end(): void {
    if (this.#text === '') return
    throw lineError(this.file, this.#start, 'a <DOC> or <top> starts here and does not end')
  }
}

function parseRecord(file: string, line: number, record: string): TextEntry {
  const opening = /<(DOC|top)>/i.exec(record)
  if (!opening) throw lineError(file, line, 'expected <DOC> or <top>')
  const body = record.slice(opening.index + opening[0].length)
  return opening[1]!.toLowerCase() === 'doc'
    ? parseDocument(file, line, body)
    : parseTopic(file, line, body)
}

function parseDocument(file: string, line: number, body: string): TextEntry {
  const id = element(body, 'DOCNO')
  if (!id) throw lineError(file, line, 'the <DOC> that starts here has no <DOCNO>')
  const rest = body.replace(/<DOCNO>[\s\S]*?<\/DOCNO>/i, '')
  const title = element(rest, 'TITLE') ?? element(rest, 'HEADLINE')
  const text = element(rest, 'TEXT') ?? plain(rest.replace(/<(TITLE|HEADLINE)>[\s\S]*?<\/\1>/i, ''))
  return title === undefined ? { id, text } : { id, title, text }
}

function parseTopic(file: string, line: number, body: string): TextEntry {
  const id = field(body, 'num')?.replace(/^Number:\s*/i, '')
  if (!id) throw lineError(file, line, 'the <top> that starts here has no <num>')
  const text = field(body, 'title')?.replace(/^Topic:\s*/i, '')
  if (text === undefined) throw lineError(file, line, 'the <top> that starts here has no <title>')
  return { id, text }
}

/** What stands between an element's tags. */
function element(body: string, name: string): string | undefined {
  const match = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'i').exec(body)
  return match ? plain(match[1]!) : undefined
}

/** What follows a topic's tag up to the next one: topics do not close their tags. */
function field(body: string, name: string): string | undefined {
  const ends = '<\\/?(?:num|title|desc|narr|dom|smry|con|fac|def)>|$'
  const match = new RegExp(`<${name}>([\\s\\S]*?)(?=${ends})`, 'i').exec(body)
  return match ? plain(match[1]!) : undefined
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(source: string): string {
  return source
    .replace(/<\/?[a-z][a-z0-9]*>/gi, ' ')
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name]!)
    .trim()
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
