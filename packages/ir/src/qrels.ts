import { KithError } from '@kith/core'
import { Fields } from './fields.ts'
import { lineError } from './file-error.ts'
import { eachLine, emptyError } from './lines.ts'
import { peek } from './read-chunks.ts'
import { writeWhole } from './write-whole.ts'

/** Judgements: the grade of each judged document of each query. A negative grade is no judgement. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>

/** `trec`: query, iteration, document, grade; `beir`: query, document, grade below a header. */
export type QrelsFormat = 'trec' | 'beir'

const header = ['query-id', 'corpus-id', 'score']

/** Reads judgements; without a format, the columns of the first line tell it. */
export async function readQrels(
  file: string,
  { format }: { format?: QrelsFormat | undefined } = {},
): Promise<Qrels> {
  const columns = (format ?? (await detectQrels(file))) === 'beir' ? 3 : 4
  const qrels = new Map<string, Map<string, number>>()
  const fields = new Fields(4)
  let query = ''
  let judged = new Map<string, number>()
  await eachLine(file, (bytes, from, to, line) => {
    const count = fields.split(bytes, from, to)
    if (count === 0 || bytes[fields.starts[0]!] === 0x23) return
    if (count !== columns) throw lineError(file, line, `expected ${columns} fields, got ${count}`)
    const grade = fields.number(bytes, columns - 1)
    if (!Number.isSafeInteger(grade)) {
      const text = fields.text(bytes, columns - 1)
      if (columns === 3 && line === 1 && !/^[-+.\d]/.test(text)) return
      throw lineError(file, line, `the grade is not a whole number: ${text}`)
    }
    const name = fields.text(bytes, 0)
    if (name !== query || qrels.size === 0) {
      query = name
      judged = qrels.get(query) ?? new Map()
      qrels.set(query, judged)
    }
    const document = fields.text(bytes, columns - 2)
    if (judged.has(document)) {
      throw lineError(file, line, `query ${query} has document ${document} twice`)
    }
    judged.set(document, grade)
  })
  if (qrels.size === 0) throw emptyError(file, 'judgements')
  return qrels
}

/** Writes judgements; without a format, `.tsv` means BEIR and the rest TREC. */
export async function writeQrels(
  file: string,
  qrels: Qrels,
  { format }: { format?: QrelsFormat | undefined } = {},
): Promise<void> {
  const beir = (format ?? (/\.tsv(\.gz)?$/i.test(file) ? 'beir' : 'trec')) === 'beir'
  await writeWhole(file, async (write) => {
    if (beir) await write(`${header.join('\t')}\n`)
    for (const [query, judged] of qrels) {
      const lines = Array.from(judged, ([document, grade]) => {
        checkId(file, query)
        checkId(file, document)
        return beir ? `${query}\t${document}\t${grade}\n` : `${query} 0 ${document} ${grade}\n`
      })
      await write(lines.join(''))
    }
  })
}

async function detectQrels(file: string): Promise<QrelsFormat> {
  const start = await peek(file)
  const end = start.indexOf(10)
  const count = new Fields(1).split(start, 0, end < 0 ? start.length : end)
  return count === 3 ? 'beir' : 'trec'
}

function checkId(file: string, id: string): void {
  if (id !== '' && !/\s/.test(id)) return
  throw new KithError('BAD_INPUT', `${file}: the id ${JSON.stringify(id)} does not fit a column`)
}
