import type { SchemaElement } from 'hyparquet'
import { type Depth, decodeHybrid, type Page } from './parquet-pages.ts'
import {
  joinStreams,
  plainDoubles,
  plainIds,
  plainNumbers,
  type ValueType,
} from './parquet-values.ts'

/** A column of the file: its name, and its elements in the schema. */
export interface Column {
  name: string
  elements: SchemaElement[]
}

/** Parquet's numbers for encodings. */
const PLAIN = 0
const PLAIN_DICTIONARY = 2
const RLE_DICTIONARY = 8
const BYTE_STREAM_SPLIT = 9

/** Returns the columns of a schema, which is a tree in depth-first order after its root. */
export function topColumns(schema: readonly SchemaElement[]): Column[] {
  const columns: Column[] = []
  for (let i = 1; i < schema.length; ) {
    const start = i
    for (let open = 1; open > 0 && i < schema.length; i++)
      open += (schema[i]!.num_children ?? 0) - 1
    columns.push({ name: schema[start]!.name, elements: schema.slice(start, i) })
  }
  return columns
}

/** The accepted names of a run's columns; the first name of each is the one that Kith writes. */
export const runNames = {
  query: ['qid', 'query_id', 'query'],
  document: ['docid', 'doc_id', 'docno', 'doc'],
  score: ['score'],
}

/**
 * Returns the column of documents in the rows of a run; undefined if the rows are not a run. The
 * rows of a run may also have texts and vectors, and repeat a document for each query that found
 * it.
 */
export function frameDocument(columns: readonly Column[]): Column | undefined {
  const find = (known: readonly string[]) =>
    known.map((name) => columns.find((column) => column.name === name)).find(Boolean)
  return find(runNames.query) && find(runNames.document)
}

/** Returns the nesting depth of a column's values. */
export function depthOf({ elements }: Column): Depth {
  const count = (kind: string) => elements.filter((e) => e.repetition_type === kind).length
  const repetition = count('REPEATED')
  return { repetition, definition: repetition + count('OPTIONAL') }
}

/** Returns the type in which a column's values are stored. */
export function valueTypeOf({ elements }: Column): ValueType {
  const { type, type_length } = elements.at(-1)!
  return { stored: type ?? 'none', length: type_length ?? 0 }
}

/** Decodes the ids on pages. */
export function decodeIds(pages: Iterable<Page>, type: ValueType): string[] {
  const decode = { plain: (page: Page) => plainIds(page.bytes, type, page.values) }
  const ids: string[] = []
  for (const { page, values } of decodePages(pages, decode)) {
    if (page.values < page.entries) throw new Error('an id is null')
    for (const id of values) ids.push(id)
  }
  return ids
}

/** Decodes the texts of a column, one per row; undefined for a text that is null. */
export function decodeTexts(pages: Iterable<Page>, column: Column): (string | undefined)[] {
  const type = valueTypeOf(column)
  const { definition } = depthOf(column)
  const decode = { plain: (page: Page) => plainIds(page.bytes, type, page.values) }
  const texts: (string | undefined)[] = []
  for (const { page, values } of decodePages(pages, decode)) {
    let next = 0
    for (let i = 0; i < page.entries; i++) {
      const present = (page.definition?.[i] ?? definition) === definition
      texts.push(present ? values[next++] : undefined)
    }
  }
  return texts
}

/** Decodes the vectors on pages, row by row; a row may continue on the next page. */
export function* decodeVectors(pages: Iterable<Page>, type: ValueType): Generator<number[]> {
  const decode = {
    plain: (page: Page) => plainNumbers(page.bytes, type, page.values),
    split: (page: Page) =>
      plainNumbers(joinStreams(page.bytes, type, page.values), type, page.values),
  }
  let row: number[] | undefined
  for (const { page, values } of decodePages<Float32Array | number[]>(pages, decode)) {
    if (page.values < page.entries) throw new Error('a vector is null, empty, or contains a null')
    for (let i = 0; i < page.entries; i++) {
      if (page.repetition?.[i] === 0) {
        if (row) yield row
        row = []
      }
      if (!row) throw new Error('the first row does not start on the first page')
      row.push(values[i]!)
    }
  }
  if (row) yield row
}

/** Decodes numbers in double precision, one per row. */
export function decodeNumbers(pages: Iterable<Page>, type: ValueType): number[] {
  const numbers: number[] = []
  for (const { page, values } of decodePages<ArrayLike<number>>(pages, doubles(type))) {
    if (page.values < page.entries) throw new Error('a number is null')
    for (let i = 0; i < page.entries; i++) numbers.push(values[i]!)
  }
  return numbers
}

/** Returns the decoders for pages of numbers in double precision. */
function doubles(type: ValueType) {
  return {
    plain: (page: Page) => plainDoubles(page.bytes, type, page.values),
    split: (page: Page) =>
      plainDoubles(joinStreams(page.bytes, type, page.values), type, page.values),
  }
}

/** Decodes lists of texts, row by row. */
export function decodeTextLists(pages: Iterable<Page>, column: Column): string[][] {
  const type = valueTypeOf(column)
  const decode = { plain: (page: Page) => plainIds(page.bytes, type, page.values) }
  return listsOf(decodePages(pages, decode), column)
}

/** Decodes lists of numbers in double precision, row by row. */
export function decodeNumberLists(pages: Iterable<Page>, column: Column): number[][] {
  const decode = doubles(valueTypeOf(column))
  return listsOf<number>(decodePages<ArrayLike<number>>(pages, decode), column)
}

/**
 * Groups values into lists: an entry without a value is an empty list, unless it is inside a list.
 */
function listsOf<T>(pages: Iterable<{ page: Page; values: ArrayLike<T> }>, column: Column): T[][] {
  const { definition } = depthOf(column)
  // From this level on, an entry is inside a list: a missing value is then an error.
  const repeated = column.elements.findIndex((e) => e.repetition_type === 'REPEATED')
  const within = depthOf({ ...column, elements: column.elements.slice(0, repeated + 1) }).definition
  const lists: T[][] = []
  for (const { page, values } of pages) {
    let next = 0
    for (let i = 0; i < page.entries; i++) {
      if (page.repetition?.[i] === 0) lists.push([])
      const list = lists.at(-1)
      if (!list) throw new Error('the first list does not start on the first page')
      const level = page.definition?.[i] ?? definition
      if (level === definition) list.push(values[next++]!)
      else if (level >= within || page.repetition?.[i] !== 0) throw new Error('a value is null')
    }
  }
  return lists
}

/** Decodes pages, with or without a dictionary. */
function* decodePages<T extends ArrayLike<unknown>>(
  pages: Iterable<Page>,
  { plain, split }: { plain: (page: Page) => T; split?: (page: Page) => T },
): Generator<{ page: Page; values: T }> {
  let dictionary: T | undefined
  for (const page of pages) {
    const { encoding, bytes } = page
    if (page.dictionary) dictionary = plain(page)
    else if (encoding === PLAIN) yield { page, values: plain(page) }
    else if (encoding === BYTE_STREAM_SPLIT && split) yield { page, values: split(page) }
    else if (encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY) {
      const places = decodeHybrid(bytes.subarray(1), bytes[0] ?? 0, page.values)
      yield { page, values: lookUp(dictionary, places) }
    } else
      throw new Error(`encoding ${encoding} is not supported; write the column with PLAIN encoding`)
  }
}

function lookUp<T extends ArrayLike<unknown>>(dictionary: T | undefined, places: Uint32Array): T {
  const values = Array.from(places, (place) => dictionary?.[place])
  if (values.includes(undefined)) throw new Error('a value is not in the dictionary')
  return values as unknown as T
}
