import { FileError, Header, writeAtomic } from '@kith/base'
import type { RowGroup } from 'hyparquet'
import { ParquetWriter } from 'hyparquet-writer'
import { type RankedQuery, type Run, RunBuilder } from '../runs/run.ts'
import { columnPages, readFooter } from './parquet.ts'
import {
  type Column,
  decodeIds,
  decodeNumbers,
  depthOf,
  topColumns,
  valueTypeOf,
} from './parquet-column.ts'
import { ParquetParts } from './parquet-writer.ts'

/** Rows per row group: a reader decodes a group as a whole. */
const GROUP = 1 << 18

/** No page of a run comes near this size, in bytes. */
const LARGEST_PAGE = 2 ** 30

/** The names of the columns of a run, the ones that Kith writes first. */
const names = {
  query: ['qid', 'query_id', 'query'],
  document: ['docid', 'doc_id', 'docno', 'doc'],
  score: ['score'],
}

/** Writes rankings as Parquet rows: qid, docid, rank from 1, score. */
export async function writeRunParquet(
  file: string,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
): Promise<void> {
  await writeAtomic(file, async (write) => {
    const text = {
      type: 'BYTE_ARRAY',
      converted_type: 'UTF8',
      repetition_type: 'REQUIRED',
    } as const
    const writer = new ParquetWriter({
      writer: new ParquetParts(write),
      schema: [
        { name: 'root', num_children: 4 },
        { name: 'qid', ...text },
        { name: 'docid', ...text },
        { name: 'rank', type: 'INT32', repetition_type: 'REQUIRED' },
        { name: 'score', type: 'DOUBLE', repetition_type: 'REQUIRED' },
      ],
    })
    let rows = {
      qid: [] as string[],
      docid: [] as string[],
      rank: [] as number[],
      score: [] as number[],
    }
    const writeGroup = async (): Promise<void> => {
      const columnData = Object.entries(rows).map(([name, data]) => ({ name, data }))
      await writer.write({ columnData, rowGroupSize: rows.qid.length })
      rows = { qid: [], docid: [], rank: [], score: [] }
    }
    for await (const { query, ids, scores } of rankings) {
      for (const [i, id] of ids.entries()) {
        const score = scores[i]!
        if (!Number.isFinite(score)) {
          throw new FileError(
            file,
            '',
            `query ${query}: the score of ${id} must be finite, got ${score}`,
          )
        }
        rows.qid.push(query)
        rows.docid.push(id)
        rows.rank.push(i + 1)
        rows.score.push(score)
      }
      if (rows.qid.length >= GROUP) await writeGroup()
    }
    if (rows.qid.length > 0) await writeGroup()
    await writer.finish()
  })
}

/**
 * Reads a run of Parquet rows: qid, docid and score, in any order. Other columns, such as rank, text
 * and vector, are not read.
 */
export function readRunParquet(file: string): Run {
  return Header.read(file, (header) => {
    const { schema, row_groups: groups } = readFooter(header)
    const columns = topColumns(schema).filter((column) => depthOf(column).repetition === 0)
    const [query, document, score] = [names.query, names.document, names.score].map((known) =>
      pick(file, columns, known),
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
      for (const [i, own] of queries.entries()) {
        const [name, id] = [Buffer.from(own), Buffer.from(documents[i]!)]
        if (!Number.isFinite(scores[i])) {
          throw new FileError(file, `row ${row}`, `score must be a number, got ${scores[i]}`)
        }
        builder.query(name, 0, name.length)
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
