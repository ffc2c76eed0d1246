import { halfTable, toHalves } from '@kith/base/half'
import type { Table as LanceTable } from '@lancedb/lancedb'
import type { Table, TypeMap } from 'apache-arrow'
import { storableOf } from '../check-documents.ts'
import type { Metric } from '../exact/search-exact.ts'
import type { ScannedBlock } from '../search/scan-documents.ts'
import { optionalPeer, type StoreDocument } from '../store.ts'
import { textHash, wholeText } from '../whole-text.ts'

/** The Arrow library that comes with LanceDB. */
export type Arrow = typeof import('apache-arrow')

export function loadArrow(): Promise<Arrow> {
  return optionalPeer('apache-arrow', () => import('apache-arrow'))
}

/** The metadata key of a collection's metric in its schema. */
const METRIC = 'kith.metric'

/** The column with the hashes of texts; collections of earlier versions have no such column. */
export const HASH = 'hash'

/** The form of a collection's rows. */
export interface RowForm {
  dimensions: number
  type: 'f16' | 'f32'
  /** Whether there is a column with the hashes of texts. */
  hashed: boolean
}

/** Returns the columns of a collection; `metric` is recorded for a new collection. */
export function schemaOf(
  arrow: Arrow,
  { dimensions, type, hashed }: RowForm,
  metric?: Metric | undefined,
) {
  const number = type === 'f16' ? new arrow.Float16() : new arrow.Float32()
  const item = new arrow.Field('item', number, true)
  const fields = [
    new arrow.Field('id', new arrow.Utf8(), false),
    new arrow.Field('vector', new arrow.FixedSizeList(dimensions, item), false),
    new arrow.Field('title', new arrow.Utf8(), true),
    new arrow.Field('text', new arrow.Utf8(), true),
    ...(hashed ? [new arrow.Field(HASH, new arrow.Utf8(), true)] : []),
  ]
  return new arrow.Schema(fields, new Map(metric && [[METRIC, metric]]))
}

/** Returns the metric in the metadata of a collection's schema, or undefined if there is none. */
export function metricIn(metadata: ReadonlyMap<string, string>): Metric | undefined {
  const metric = metadata.get(METRIC)
  return metric === 'dot' || metric === 'cosine' ? metric : undefined
}

/** Converts documents to a table; all numbers are passed as one array. */
export function toTable(arrow: Arrow, documents: readonly StoreDocument[], form: RowForm): Table {
  const { dimensions, type, hashed } = form
  const schema = schemaOf(arrow, form)
  const numbers = new Float32Array(documents.length * dimensions)
  documents.forEach(({ vector }, i) => {
    numbers.set(vector, i * dimensions)
  })
  const list = schema.fields[1]!.type as InstanceType<Arrow['FixedSizeList']>
  const child = arrow.makeData({
    type: list.children[0]!.type as InstanceType<Arrow['Float32']>,
    length: numbers.length,
    data: (type === 'f16' ? toHalves(numbers) : numbers) as Float32Array,
  })
  const texts = (values: (string | null)[]) =>
    arrow.vectorFromArray(values, new arrow.Utf8()).data[0]!
  const columns = arrow.makeData({
    type: new arrow.Struct(schema.fields),
    length: documents.length,
    children: [
      texts(documents.map(({ id }) => id)),
      arrow.makeData({ type: list, length: documents.length, child }),
      texts(documents.map(({ title }) => title ?? null)),
      texts(documents.map(({ text }) => text ?? null)),
      ...(hashed ? [texts(documents.map(hashOf))] : []),
    ],
  })
  return new arrow.Table(schema, new arrow.RecordBatch(schema, columns))
}

function hashOf(document: StoreDocument): string | null {
  const text = wholeText(document)
  return text === undefined ? null : textHash(text)
}

/** The columns of a LanceDB result: a table, or a part of one. */
type Columns = Pick<Table<TypeMap>, 'getChild' | 'numRows'>

/** Yields the documents of a LanceDB result; vectors are empty if the result has none. */
export function* toDocuments(table: Columns): Generator<StoreDocument> {
  const [titles, texts] = [table.getChild('title'), table.getChild('text')]
  const ids = table.getChild('id')!
  const vectors = vectorsOf(table)
  for (let row = 0; row < table.numRows; row++) {
    const vector = vectors.next().value ?? new Float32Array(0)
    const document: StoreDocument = { id: ids.get(row) as string, vector }
    const [title, text] = [titles?.get(row), texts?.get(row)] as (string | null | undefined)[]
    if (typeof title === 'string') document.title = title
    if (typeof text === 'string') document.text = text
    yield document
  }
}

function* vectorsOf(table: Columns): Generator<Float32Array, undefined> {
  for (const { numbers, dimensions } of vectorParts(table)) {
    for (let at = 0; at < numbers.length; at += dimensions) {
      yield numbers.slice(at, at + dimensions)
    }
  }
}

/** Yields the vectors of a result in the result's parts, each part concatenated. */
function* vectorParts(table: Columns): Generator<{ numbers: Float32Array; dimensions: number }> {
  for (const { type, offset, length, children } of table.getChild('vector')?.data ?? []) {
    const dimensions = (type as unknown as { listSize: number }).listSize
    const numbers = toFloats(children[0]!.values as Float32Array | Uint16Array)
    yield {
      numbers: numbers.subarray(offset * dimensions, (offset + length) * dimensions),
      dimensions,
    }
  }
}

/** Returns the ids and vectors of a LanceDB result. */
export function toBlock(table: Columns): ScannedBlock {
  const ids = Array.from(table.getChild('id')! as Iterable<string>)
  const parts = Array.from(vectorParts(table), ({ numbers }) => numbers)
  if (parts.length === 1) return { ids, vectors: parts[0]! }
  const vectors = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    vectors.set(part, at)
    at += part.length
  }
  return { ids, vectors }
}

function toFloats(numbers: Float32Array | Uint16Array): Float32Array {
  if (numbers instanceof Float32Array) return numbers
  const values = halfTable()
  return Float32Array.from(numbers, (half) => values[half]!)
}

/** Number of ids in one condition. */
const NAMED_IDS = 1000

/** Returns SQL conditions that match ids, or other values of a column, up to 1,000 values each. */
export function idConditions(ids: readonly string[], column = 'id'): string[] {
  const quoted = storableOf(ids).map((id) => `'${id.replaceAll("'", "''")}'`)
  const conditions: string[] = []
  for (let from = 0; from < quoted.length; from += NAMED_IDS) {
    conditions.push(`${column} IN (${quoted.slice(from, from + NAMED_IDS).join(', ')})`)
  }
  return conditions
}

/**
 * Finds the vectors of the documents with the given texts; if several documents share a text, the
 * vector of the lowest id.
 */
export async function findTexts(
  table: LanceTable,
  texts: readonly string[],
): Promise<(Float32Array | undefined)[]> {
  const found = new Map<string, StoreDocument>()
  for (const condition of idConditions(texts.map(textHash), HASH)) {
    const columns = ['id', 'vector', 'title', 'text']
    const rows = await table.query().select(columns).where(condition).toArrow()
    for (const document of toDocuments(rows)) {
      const text = wholeText(document)!
      const other = found.get(text)
      if (!other || document.id < other.id) found.set(text, document)
    }
  }
  return texts.map((text) => found.get(text)?.vector)
}
