import { FileError, Header, type Write, writeAtomic } from '@kith/base'
import type { RowGroup } from 'hyparquet'
import { ParquetWriter } from 'hyparquet-writer'
import { type RankedQuery, type Run, RunBuilder, runColumns } from '../runs/run.ts'
import { columnPages, readFooter } from './parquet.ts'
import {
  type Column,
  decodeIds,
  decodeNumbers,
  depthOf,
  runNames,
  topColumns,
  valueTypeOf,
} from './parquet-column.ts'
import { ParquetParts, textColumn, vectorColumn } from './parquet-writer.ts'

/**
 * Maximum number of rows, characters and numbers in a row group: a reader decodes a whole group.
 */
const GROUP = { rows: 1 << 18, characters: 1 << 24, numbers: 4 << 20 }

/** Maximum size of a page in bytes; no page of a run comes near it. */
const LARGEST_PAGE = 2 ** 30

/** The columns of a run with values of documents, by id; a title or text may be missing. */
export interface DocumentColumns {
  title?: ((id: string) => string | undefined) | undefined
  text?: ((id: string) => string | undefined) | undefined
  vector?: ((id: string) => Float32Array) | undefined
}

/** Writes rankings as Parquet rows: qid, docid, rank from 1, score, and columns of documents. */
export async function writeRunParquet(
  file: string,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
  documents: DocumentColumns = {},
): Promise<void> {
  await writeAtomic(file, async (write) => {
    let rows: RunRows | undefined
    for await (const ranking of rankings) {
      rows ??= new RunRows(file, write, documents, ranking)
      await rows.add(ranking)
    }
    await (rows ?? new RunRows(file, write, documents)).finish()
  })
}

const textNames = ['title', 'text'] as const

type ColumnName = (typeof runColumns)[number]

/** Collects rows and writes them in groups. */
class RunRows {
  readonly #file: string
  readonly #writer: ParquetWriter
  readonly #more: readonly ColumnName[]
  readonly #documents: DocumentColumns
  #columns: Record<string, unknown[]> = {}
  #size = { rows: 0, characters: 0, numbers: 0 }

  constructor(
    file: string,
    write: Write,
    documents: DocumentColumns,
    { columns }: Partial<RankedQuery> = {},
  ) {
    this.#file = file
    this.#more = runColumns.filter((name) => columns?.[name])
    this.#documents = documents
    const texts = textNames.filter((name) => documents[name])
    const { vector } = documents
    this.#writer = new ParquetWriter({
      writer: new ParquetParts(write),
      schema: [
        { name: 'root', num_children: 4 + this.#more.length + texts.length + (vector ? 1 : 0) },
        textColumn('qid'),
        textColumn('docid'),
        { name: 'rank', type: 'INT32', repetition_type: 'REQUIRED' },
        { name: 'score', type: 'DOUBLE', repetition_type: 'REQUIRED' },
        ...this.#more.map(
          (name) => ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' }) as const,
        ),
        ...texts.map((name) => textColumn(name, 'OPTIONAL')),
        ...(vector ? vectorColumn('vector') : []),
      ],
      // Readers have no use for statistics of number lists, and computing them takes time.
      statistics: !vector,
    })
    this.#clear()
  }

  async add({ query, ids, scores, columns }: RankedQuery): Promise<void> {
    for (const [i, id] of ids.entries()) {
      const score = scores[i]!
      if (!Number.isFinite(score)) {
        throw new FileError(
          this.#file,
          '',
          `query ${query}: the score of ${id} must be finite, got ${score}`,
        )
      }
      // Writing a group replaces the columns by new ones.
      const { qid, docid, rank, score: all } = this.#columns
      qid!.push(query)
      docid!.push(id)
      rank!.push(i + 1)
      all!.push(score)
      for (const name of this.#more) {
        const value = columns?.[name]?.[i]
        this.#columns[name]!.push(Number.isFinite(value) ? value : null)
      }
      this.#addDocument(id)
      this.#size.rows++
      if (this.#isFull()) await this.#writeGroup()
    }
  }

  #addDocument(id: string): void {
    for (const name of textNames) {
      const text = this.#documents[name]?.(id)
      this.#columns[name]?.push(text ?? null)
      this.#size.characters += text?.length ?? 0
    }
    const vector = this.#documents.vector?.(id)
    if (!vector) return
    this.#columns['vector']!.push(Array.from(vector))
    this.#size.numbers += vector.length
  }

  #isFull(): boolean {
    const { rows, characters, numbers } = this.#size
    return rows >= GROUP.rows || characters >= GROUP.characters || numbers >= GROUP.numbers
  }

  async finish(): Promise<void> {
    if (this.#size.rows > 0) await this.#writeGroup()
    await this.#writer.finish()
  }

  async #writeGroup(): Promise<void> {
    const columnData = Object.entries(this.#columns).map(([name, data]) => ({ name, data }))
    await this.#writer.write({ columnData, rowGroupSize: this.#size.rows })
    this.#clear()
  }

  #clear(): void {
    const own = [...textNames, 'vector' as const].filter((name) => this.#documents[name])
    const names = ['qid', 'docid', 'rank', 'score', ...this.#more, ...own]
    this.#columns = Object.fromEntries(names.map((name) => [name, []]))
    this.#size = { rows: 0, characters: 0, numbers: 0 }
  }
}

/**
 * Reads a run of Parquet rows: qid, docid and score, in any order. Other columns, such as rank, are
 * not read; text and vector are read as texts and embeddings.
 */
export function readRunParquet(file: string): Run {
  return Header.read(file, (header) => {
    const { schema, row_groups: groups } = readFooter(header)
    const columns = topColumns(schema).filter((column) => depthOf(column).repetition === 0)
    const [query, document, score] = [runNames.query, runNames.document, runNames.score].map(
      (known) => pick(file, columns, known),
    )
    const builder = new RunBuilder(file)
    let row = 1
    for (const group of groups) {
      const queries = idsOf(header, group, query!)
      const documents = idsOf(header, group, document!)
      const pages = columnPages(header, group, score!, LARGEST_PAGE)
      const scores = decodeNumbers(pages, valueTypeOf(score!))
      const lengths = [queries.length, documents.length, scores.length]
      if (lengths.some((length) => BigInt(length) !== group.num_rows)) {
        const found = `columns of ${lengths.join(', ')} rows in a row group of ${group.num_rows}`
        throw new FileError(file, `row ${row}`, found)
      }
      for (const [i, name] of queries.entries()) {
        const id = Buffer.from(documents[i]!)
        if (!Number.isFinite(scores[i])) {
          throw new FileError(file, `row ${row}`, `score must be a number, got ${scores[i]}`)
        }
        builder.query(name)
        builder.row(id, 0, id.length, scores[i]!, row++)
      }
    }
    return builder.finish()
  })
}

function idsOf(header: Header, group: RowGroup, column: Column): string[] {
  return decodeIds(columnPages(header, group, column, LARGEST_PAGE), valueTypeOf(column))
}

function pick(file: string, columns: readonly Column[], known: readonly string[]): Column {
  const found = known.map((name) => columns.find((column) => column.name === name)).find(Boolean)
  if (found) return found
  const all = columns.map(({ name }) => name).join(', ') || 'none'
  throw new FileError(
    file,
    '',
    `no column ${known[0]}; expected qid, docid and score, got ${all}; rename the columns`,
  )
}
