import type { Background, Matrix, TitledText, TokenizerName } from '@kith/core'

/** The properties of the dataset that the page gets first. */
export interface StudioInfo {
  /** The dataset's name in the page's header. */
  name: string
  documents: number
  /** How many queries the run has, and how many of them are judged. */
  queries: number
  judged: number
  /** Maximum number of candidates per query. */
  depth: number
  texts: boolean
  /** Whether there is a background for estimating the relevance of hits. */
  background: boolean
  /** The lowest grade of a relevant document. */
  level: number
  /** The query that a new page shows. */
  first: string
  /** The encoder for free-text queries; undefined if there is none. */
  model?: string | undefined
  /**
   * The files as the user named them, for command lines; undefined if the data did not come from
   * files.
   */
  files?: StudioFiles | undefined
}

/** The files of a dataset. */
export interface StudioFiles {
  run: string
  queries: string
  docs: string
  corpus?: string | undefined
  queryText?: string | undefined
  qrels?: string | undefined
}

/** A query as the search box lists it. */
export interface QueryEntry {
  id: string
  text?: string | undefined
  /** How many documents are judged relevant. */
  relevant: number
}

/** The answer to a search for queries: the first matches, and the number of all matches. */
export interface QueryList {
  found: number
  entries: QueryEntry[]
}

/** The texts of a document. */
export interface DocumentText {
  id: string
  title?: string | undefined
  text?: string | undefined
}

/**
 * Returns the text that is tokenized for a query or a document, including its title, as in `kith
 * rerank`.
 */
export function wordsOf({ title, text = '' }: Pick<DocumentText, 'title' | 'text'>): TitledText {
  return { title, text }
}

/** A candidate, or a relevant document that was not retrieved. */
export interface StudioDocument extends DocumentText {
  /** The document's score in the run; undefined if it was not retrieved. */
  score?: number | undefined
  /** The document's judged grade; undefined if it has no judgment. */
  grade?: number | undefined
}

/** A query with its candidates. */
export interface StudioContext {
  query: QueryEntry
  /** The candidates in the order of the run, then relevant documents that are not among them. */
  documents: StudioDocument[]
  /** How many of the documents are candidates. */
  retrieved: number
  /** How many candidates lack an embedding or a text, and are left out. */
  missing: number
  /** The relevant documents in the order of the judgments, as places in `documents`. */
  truth: number[]
  /** The highest grades of the query, as many as nDCG@10 needs. */
  ideal: number[]
  /** Row 0 is the query, row i + 1 document i. */
  vectors: Matrix
}

/** A query of a `HeldCollection`: its context without the documents' texts and vectors. */
export interface HeldQuery extends Omit<StudioContext, 'documents' | 'vectors'> {
  /** Places in the dataset's documents: the candidates, then other relevant documents. */
  documents: number[]
  /** The scores of the candidates. */
  scores: number[]
  /** Whether the query has any judgments, of these documents or of others. */
  judged: boolean
  /** The judged documents as places in this query's documents, and their grades. */
  grades: [place: number, grade: number][]
}

/** A part of a dataset that is embedded in a page, so that the page needs no server. */
export interface HeldCollection {
  info: StudioInfo
  queries: HeldQuery[]
  documents: DocumentText[]
  /** The rows of the queries, then of the documents. */
  vectors: Matrix
  /**
   * The term statistics of the whole dataset, as bytes; without them, terms are counted in the
   * documents here.
   */
  statistics?: Record<TokenizerName, Uint8Array> | undefined
  /** The scale on which relevance is estimated. */
  background?: Background | undefined
}

/** A `HeldCollection` as JSON: vectors in half precision and statistics are base64. */
export interface WrittenCollection extends Omit<HeldCollection, 'vectors' | 'statistics'> {
  vectors: { base64: string; rows: number; dimensions: number }
  statistics?: Record<TokenizerName, string> | undefined
}

/**
 * Encodes a context as bytes: the length of a JSON head (uint32, little-endian), the head, spaces
 * up to a multiple of four bytes, and the vectors as little-endian float32, which the page uses in
 * place.
 */
export function encodeContext({ vectors, ...rest }: StudioContext): Uint8Array<ArrayBuffer> {
  const { rows, dimensions, data } = vectors
  const head = new TextEncoder().encode(JSON.stringify({ ...rest, rows, dimensions }))
  const start = 4 + Math.ceil(head.length / 4) * 4
  const bytes = new Uint8Array(start + rows * dimensions * 4).fill(0x20, 0, start)
  new DataView(bytes.buffer).setUint32(0, start - 4, true)
  bytes.set(head, 4)
  new Float32Array(bytes.buffer, start).set(data.subarray(0, rows * dimensions))
  return bytes
}

/** Decodes the bytes of `encodeContext`. */
export function decodeContext(buffer: ArrayBuffer): StudioContext {
  const length = new DataView(buffer).getUint32(0, true)
  const head = new TextDecoder().decode(new Uint8Array(buffer, 4, length))
  const { rows, dimensions, ...rest } = JSON.parse(head) as Omit<StudioContext, 'vectors'> &
    Pick<Matrix, 'rows' | 'dimensions'>
  return { ...rest, vectors: { data: new Float32Array(buffer, 4 + length), rows, dimensions } }
}

/** Maximum number of queries in the answer to a search. */
const LISTED = 50

/**
 * Returns the first entries whose id or text contains all words of a search, and how many match.
 */
export function searchEntries(entries: Iterable<QueryEntry>, words: string): QueryList {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const found: QueryEntry[] = []
  let count = 0
  for (const entry of entries) {
    const text = `${entry.id} ${entry.text ?? ''}`.toLowerCase()
    if (!wanted.every((word) => text.includes(word))) continue
    if (count++ < LISTED) found.push(entry)
  }
  return { found: count, entries: found }
}
