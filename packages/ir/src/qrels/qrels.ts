import { eachLine, emptyError, FileError, InputFile, lineError, writeAtomic } from '@kith/base'
import { seededFraction } from '@kith/base/random'
import { checkEnding } from '../io/endings.ts'
import { checkColumnId, Fields, firstFields } from '../io/fields.ts'
import { IdIndex, type SharedIndex } from '../io/id-index.ts'
import { IdList, type SharedIds } from '../io/id-list.ts'

/**
 * Judgments: the grade of each judged document of each query. A negative grade means no judgment.
 */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>

/** `trec`: query, iteration, document, grade; `beir`: query, document, grade, after a header. */
export type QrelsFormat = 'trec' | 'beir'

const header = ['query-id', 'corpus-id', 'score']

/**
 * The accepted names of a header's columns, in BEIR and elsewhere; a first line without them is a
 * judgment.
 */
const headerNames = [
  ['query-id', 'query_id', 'queryid', 'query', 'qid'],
  ['corpus-id', 'corpus_id', 'document-id', 'document', 'doc-id', 'doc_id', 'docid', 'doc', 'pid'],
  ['score', 'relevance', 'grade', 'label', 'rel'],
]

/**
 * Reads relevance judgments. Without a format, the number of columns in the first line decides.
 *
 * ```ts
 * const qrels = await readQrels('qrels.trec')
 * qrels.get('q1')?.get('d1') // the grade
 * ```
 */
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
    // BEIR has no comments, so an id may begin with #.
    if (count === 0 || (columns === 4 && bytes[fields.starts[0]!] === 0x23)) return
    if (count !== columns) {
      throw lineError(
        input.name,
        line,
        `expected ${columns} fields, got ${count}; each line needs: ${columns === 4 ? 'query 0 document grade' : 'query document grade'}`,
      )
    }
    const names = first && columns === 3 ? headerNames : undefined
    first = false
    if (names?.every((known, i) => known.includes(fields.text(bytes, i).toLowerCase()))) return
    const grade = fields.number(bytes, columns - 1)
    if (!Number.isSafeInteger(grade)) {
      const text = fields.text(bytes, columns - 1)
      throw lineError(input.name, line, `grade must be a whole number, got '${text}'`)
    }
    const name = fields.text(bytes, 0)
    if (name !== query || qrels.size === 0) {
      query = name
      judged = qrels.get(query) ?? new Map()
      qrels.set(query, judged)
    }
    const document = fields.text(bytes, columns - 2)
    if (judged.has(document)) {
      throw lineError(
        input.name,
        line,
        `query ${query} has document ${document} twice; remove one of the two judgments`,
      )
    }
    judged.set(document, grade)
  })
  if (qrels.size === 0) throw emptyError(input.name, 'judgments')
  return qrels
}

/**
 * Writes relevance judgments. Without a format, `.tsv` means BEIR, and all other names TREC.
 *
 * ```ts
 * await writeQrels('qrels.tsv', new Map([['q1', new Map([['d1', 1]])]]))
 * ```
 */
export async function writeQrels(
  file: string,
  qrels: Qrels,
  { format }: { format?: QrelsFormat | undefined } = {},
): Promise<void> {
  if (format === undefined) {
    checkEnding(file, { content: 'relevance judgments', fits: ['trec', 'tsv'] })
  }
  const beir = (format ?? (/\.tsv(\.gz)?$/i.test(file) ? 'beir' : 'trec')) === 'beir'
  await writeAtomic(file, async (write) => {
    if (beir) await write(`${header.join('\t')}\n`)
    for (const [query, judged] of qrels) {
      checkColumnId(file, query, true)
      const lines = Array.from(judged, ([document, grade]) => {
        checkColumnId(file, document)
        if (!Number.isSafeInteger(grade)) {
          throw new FileError(
            file,
            '',
            `query ${query}: the grade of ${document} must be a whole number, got ${grade}`,
          )
        }
        return beir ? `${query}\t${document}\t${grade}\n` : `${query} 0 ${document} ${grade}\n`
      })
      await write(lines.join(''))
    }
  })
}

async function detectQrels(input: InputFile): Promise<QrelsFormat> {
  const { count, tabs } = firstFields(await input.start())
  // An id with a space gives BEIR's three columns four fields; the two tabs tell the formats apart.
  return count === 3 || tabs === 2 ? 'beir' : 'trec'
}

/** Judgments in which only one relevant document per query is known, and the hidden judgments. */
export interface HiddenQrels {
  known: Qrels
  hidden: Qrels
}

/**
 * Hides all but one relevant document of every query that has several, as if they had not been
 * judged; other queries and judgments below the level are left out. The share of hidden documents
 * that an audit finds shows how well it finds missing judgments.
 */
export function hideAllButOne(
  qrels: Qrels,
  { level = 1, seed = 1 }: { level?: number | undefined; seed?: number | undefined } = {},
): HiddenQrels {
  const known = new Map<string, Map<string, number>>()
  const hidden = new Map<string, Map<string, number>>()
  for (const [query, judged] of qrels) {
    const relevant = [...judged].filter(([, grade]) => grade >= level)
    if (relevant.length < 2) continue
    // Sorted, so that the order of the file does not change the choice.
    relevant.sort(([a], [b]) => (a < b ? -1 : 1))
    const [one] = relevant.splice(Math.floor(seededFraction(seed, query) * relevant.length), 1)
    known.set(query, new Map([one!]))
    hidden.set(query, new Map(relevant))
  }
  return { known, hidden }
}

/** Judgments in memory that worker threads can share. */
export interface SharedQrels {
  queries: SharedIndex
  /** The first judgment of each query, and at last the end of the last query's judgments. */
  starts: Uint32Array
  documents: SharedIds
  grades: Float64Array
}

/** Copies judgments to shared memory. */
export function shareQrels(qrels: Qrels): SharedQrels {
  const queries = new IdList()
  const index = new IdIndex(queries, qrels.size)
  const documents = new IdList()
  const starts = new Uint32Array(new SharedArrayBuffer((qrels.size + 1) * 4))
  const grades: number[] = []
  for (const [query, judged] of qrels) {
    queries.pushText(query)
    index.add(queries.length - 1)
    for (const [document, grade] of judged) {
      documents.pushText(document)
      grades.push(grade)
    }
    starts[queries.length] = grades.length
  }
  const shared = new Float64Array(new SharedArrayBuffer(grades.length * 8))
  shared.set(grades)
  return { queries: index.share(), starts, documents: documents.share(), grades: shared }
}

/** Returns the judgments of single queries, from memory that another thread shares. */
export function sharedQrels({
  queries,
  starts,
  documents,
  grades,
}: SharedQrels): Pick<Qrels, 'get'> {
  const index = IdIndex.over(queries)
  const ids = IdList.over(documents)
  const wanted = new IdList()
  return {
    get(query) {
      wanted.clear()
      wanted.pushText(query)
      const found = index.find(wanted, 0)
      if (found < 0) return undefined
      const judged = new Map<string, number>()
      for (let i = starts[found]!; i < starts[found + 1]!; i++) judged.set(ids.get(i), grades[i]!)
      return judged
    },
  }
}
