import { eachLine, emptyError, FileError, InputFile, lineError, writeAtomic } from '@kith/base'
import { checkColumnId } from '../io/column-id.ts'
import { Fields } from '../io/fields.ts'
import { firstFields } from '../io/first-fields.ts'

/** Judgments: the grade of each judged document of each query. A negative grade is no judgment. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>

/** `trec`: query, iteration, document, grade; `beir`: query, document, grade below a header. */
export type QrelsFormat = 'trec' | 'beir'

const header = ['query-id', 'corpus-id', 'score']

/** The names of a header's columns, in BEIR and elsewhere; a line without them is a judgment. */
const headerNames = [
  ['query-id', 'query_id', 'queryid', 'query', 'qid'],
  ['corpus-id', 'corpus_id', 'document-id', 'document', 'doc-id', 'doc_id', 'docid', 'doc', 'pid'],
  ['score', 'relevance', 'grade', 'label', 'rel'],
]

/** Reads judgments; without a format, the columns of the first line tell it. */
export async function readQrels(
  file: string,
  { format }: { format?: QrelsFormat | undefined } = {},
): Promise<Qrels> {
  const input = new InputFile(file)
  const columns = (format ?? (await detectQrels(input))) === 'beir' ? 3 : 4
  const qrels = new Map<string, Map<string, number>>()
  const fields = new Fields(4)
  let query = ''
  let first = true
  let judged = new Map<string, number>()
  await eachLine(input, (bytes, from, to, line) => {
    const count = fields.split(bytes, from, to)
    // BEIR has no comments: there an id may begin with #.
    if (count === 0 || (columns === 4 && bytes[fields.starts[0]!] === 0x23)) return
    if (count !== columns) {
      throw lineError(input.name, line, `expected ${columns} fields, got ${count}`)
    }
    const names = first && columns === 3 ? headerNames : undefined
    first = false
    if (names?.every((known, i) => known.includes(fields.text(bytes, i).toLowerCase()))) return
    const grade = fields.number(bytes, columns - 1)
    if (!Number.isSafeInteger(grade)) {
      const text = fields.text(bytes, columns - 1)
      throw lineError(input.name, line, `the grade is not a whole number: ${text}`)
    }
    const name = fields.text(bytes, 0)
    if (name !== query || qrels.size === 0) {
      query = name
      judged = qrels.get(query) ?? new Map()
      qrels.set(query, judged)
    }
    const document = fields.text(bytes, columns - 2)
    if (judged.has(document)) {
      throw lineError(input.name, line, `query ${query} has document ${document} twice`)
    }
    judged.set(document, grade)
  })
  if (qrels.size === 0) throw emptyError(input.name, 'judgments')
  return qrels
}

/** Writes judgments; without a format, `.tsv` means BEIR and the rest TREC. */
export async function writeQrels(
  file: string,
  qrels: Qrels,
  { format }: { format?: QrelsFormat | undefined } = {},
): Promise<void> {
  const beir = (format ?? (/\.tsv(\.gz)?$/i.test(file) ? 'beir' : 'trec')) === 'beir'
  await writeAtomic(file, async (write) => {
    if (beir) await write(`${header.join('\t')}\n`)
    for (const [query, judged] of qrels) {
      checkColumnId(file, query, true)
      const lines = Array.from(judged, ([document, grade]) => {
        checkColumnId(file, document)
        if (!Number.isSafeInteger(grade)) {
          throw new FileError(file, '', `query ${query}: the grade of ${document} is ${grade}`)
        }
        return beir ? `${query}\t${document}\t${grade}\n` : `${query} 0 ${document} ${grade}\n`
      })
      await write(lines.join(''))
    }
  })
}

async function detectQrels(input: InputFile): Promise<QrelsFormat> {
  const { count, tabs } = firstFields(await input.start())
  // An id with a space makes four fields of BEIR's three; the two tabs tell them apart.
  return count === 3 || tabs === 2 ? 'beir' : 'trec'
}
