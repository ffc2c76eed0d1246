import { FileError, Header, writeAtomic } from '@kith/base'
import type { RowGroup, SchemaElement } from 'hyparquet'
import { ParquetWriter } from 'hyparquet-writer'
import { checkLabels, digits, type LabeledQuery } from '../labels/labels.ts'
import { columnPages, readFooter } from './parquet.ts'
import {
  type Column,
  decodeIds,
  decodeNumberLists,
  decodeTextLists,
  depthOf,
  topColumns,
  valueTypeOf,
} from './parquet-column.ts'
import type { Page } from './parquet-pages.ts'
import { ParquetParts } from './parquet-writer.ts'

/** Queries per row group: a reader decodes a whole group. */
const GROUP = 10_000

const text: SchemaElement = { name: '', type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const number: SchemaElement = { name: '', type: 'DOUBLE' }

/** Writes labels as Parquet with the columns of the JSONL: query, docs, labels, evidence, groundTruth. */
export async function writeLabelsParquet(
  file: string,
  entries: AsyncIterable<LabeledQuery>,
): Promise<void> {
  await writeAtomic(file, async (write) => {
    const writer = new ParquetWriter({
      writer: new ParquetParts(write),
      schema: [
        { name: 'root', num_children: 5 },
        { ...text, name: 'query', repetition_type: 'REQUIRED' },
        ...list('docs', text),
        ...list('labels', number),
        ...list('evidence', number),
        ...list('groundTruth', text),
      ],
    })
    let group: LabeledQuery[] = []
    const writeGroup = async (): Promise<void> => {
      await writer.write({
        columnData: [
          { name: 'query', data: group.map(({ query }) => query) },
          { name: 'docs', data: group.map(({ docs }) => [...docs]) },
          { name: 'labels', data: group.map(({ labels }) => digits(labels)) },
          { name: 'evidence', data: group.map(({ evidence }) => digits(evidence)) },
          { name: 'groundTruth', data: group.map(({ groundTruth }) => [...groundTruth]) },
        ],
        rowGroupSize: group.length,
      })
      group = []
    }
    for await (const entry of entries) {
      group.push(entry)
      if (group.length === GROUP) await writeGroup()
    }
    if (group.length > 0) await writeGroup()
    await writer.finish()
  })
}

function list(name: string, element: SchemaElement): SchemaElement[] {
  return [
    { name, num_children: 1, converted_type: 'LIST', repetition_type: 'REQUIRED' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { ...element, name: 'element', repetition_type: 'REQUIRED' },
  ]
}

/** Maximum size of a page in bytes; no page of labels comes near it. */
const LARGEST_PAGE = 2 ** 30

/** Reads labels from `writeLabelsParquet`, one row group at a time. */
export async function* readLabelsParquet(file: string): AsyncGenerator<LabeledQuery> {
  const { schema, row_groups: groups } = Header.read(file, readFooter)
  let row = 0
  for (const group of groups) {
    const entries = Header.read(file, (header) => readGroup(header, schema, group, row))
    yield* entries
    row += entries.length
  }
}

/** Reads the labels of one row group, which starts at row `start`. */
function readGroup(
  header: Header,
  schema: SchemaElement[],
  group: RowGroup,
  start: number,
): LabeledQuery[] {
  const columns = new Map(topColumns(schema).map((column) => [column.name, column]))
  const read = <T>(
    name: string,
    repetition: number,
    decode: (pages: Iterable<Page>, column: Column) => T[],
  ): T[] => {
    const column = columns.get(name)
    if (column && depthOf(column).repetition === repetition) {
      return decode(columnPages(header, group, column, LARGEST_PAGE), column)
    }
    const kind = repetition === 0 ? 'texts' : 'lists'
    throw new FileError(
      header.file,
      '',
      `no column ${name} of ${kind}; expected the labels of kith labels`,
    )
  }
  const queries = read('query', 0, (pages, column) => decodeIds(pages, valueTypeOf(column)))
  const docs = read('docs', 1, decodeTextLists)
  const labels = read('labels', 1, decodeNumberLists)
  const evidence = read('evidence', 1, decodeNumberLists)
  const groundTruth = read('groundTruth', 1, decodeTextLists)
  for (const [name, { length }] of Object.entries({ queries, docs, labels, evidence, groundTruth }))
    if (BigInt(length) !== group.num_rows) {
      const problem = `expected ${group.num_rows} ${name} in this row group, got ${length}`
      throw new FileError(header.file, `row ${start}`, problem)
    }
  return queries.map((query, i) => {
    const entry = {
      query,
      docs: docs[i]!,
      labels: labels[i]!,
      evidence: evidence[i]!,
      groundTruth: groundTruth[i]!,
    }
    checkLabels(entry, (problem) => new FileError(header.file, `row ${start + i}`, problem))
    return entry
  })
}
