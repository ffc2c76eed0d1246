import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from 'hyparquet'
import { ParquetWriter } from 'hyparquet-writer'
import { asFileError } from './file-error.ts'
import { digits, type LabelledQuery } from './labels.ts'
import { ParquetParts } from './parquet-parts.ts'
import { writeWhole } from './write-whole.ts'

/** Queries per row group: a reader decodes a group as a whole. */
const GROUP = 10_000

const text: SchemaElement = { name: '', type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const number: SchemaElement = { name: '', type: 'DOUBLE' }

/** Writes labels as Parquet with the columns of the JSONL: query, docs, labels, evidence, groundTruth. */
export async function writeLabelsParquet(
  file: string,
  entries: AsyncIterable<LabelledQuery>,
): Promise<void> {
  await writeWhole(file, async (write) => {
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
    let group: LabelledQuery[] = []
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

/** Reads labels that `writeLabelsParquet` wrote, a row group at a time. */
export async function* readLabelsParquet(file: string): AsyncGenerator<LabelledQuery> {
  try {
    const buffer = await asyncBufferFromFile(file)
    const metadata = await parquetMetadataAsync(buffer)
    const rows = Number(metadata.num_rows)
    for (let rowStart = 0; rowStart < rows; rowStart += GROUP) {
      const rowEnd = Math.min(rows, rowStart + GROUP)
      const group = await parquetReadObjects({ file: buffer, metadata, rowStart, rowEnd })
      yield* group as unknown as LabelledQuery[]
    }
  } catch (error) {
    throw asFileError(file, error)
  }
}
