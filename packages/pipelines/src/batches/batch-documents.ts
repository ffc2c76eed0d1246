import type { Embeddings, TextEntry } from '@kith/ir'
import type { Store, StoreDocument, StoreFetchOptions } from '@kith/stores'
import { type VectorSource, vectorSource } from '../join/contexts.ts'
import type { BatchQuery } from './batch-item.ts'

/** Wraps a few vectors with ids in the interface of a file of embeddings, which the jobs expect. */
function batchEmbeddings(
  entries: readonly { id: string; vector: Float32Array }[],
  dimensions: number,
): Embeddings & { memory: Float32Array; share(): undefined } {
  const rows = new Map(entries.map(({ id }, row) => [id, row]))
  const memory = new Float32Array(entries.length * dimensions)
  entries.forEach(({ vector }, row) => {
    memory.set(vector, row * dimensions)
  })
  const read = (from: number, to: number): Float32Array =>
    memory.slice(from * dimensions, to * dimensions)
  return {
    rows: entries.length,
    dimensions,
    type: 'f32',
    memory,
    idOf: (row) => entries[row]!.id,
    rowOf: (id) => rows.get(id),
    read,
    gather(wanted) {
      const gathered = new Float32Array(wanted.length * dimensions)
      Array.from(wanted, (row, i) => gathered.set(read(row, row + 1), i * dimensions))
      return gathered
    },
    share() {},
    async close() {},
    async [Symbol.asyncDispose]() {},
  }
}

/** Returns the vectors of a batch's queries; leaves out queries without a vector. */
export function queryVectors(
  items: readonly BatchQuery[],
  dimensions: number,
): ReturnType<typeof batchEmbeddings> {
  const entries = items.flatMap(({ query, vector }) => (vector ? [{ id: query, vector }] : []))
  return batchEmbeddings(entries, dimensions)
}

/** Fetches the documents with these ids that the store has, each once. */
export async function documentsOf(
  store: Store,
  ids: Iterable<string>,
  options?: StoreFetchOptions,
): Promise<Map<string, StoreDocument>> {
  const wanted = [...new Set(ids)]
  const documents = new Map<string, StoreDocument>()
  for (const document of await store.fetch(wanted, options)) {
    if (document) documents.set(document.id, document)
  }
  return documents
}

/**
 * Fetches the documents that a batch needs, and returns them with the vectors of queries and
 * documents.
 */
export async function batchVectors(
  store: Store,
  items: readonly BatchQuery[],
  needed: Iterable<string>,
): Promise<{
  documents: Map<string, StoreDocument>
  queries: ReturnType<typeof batchEmbeddings>
  docs: ReturnType<typeof batchEmbeddings>
  /** The vectors in the form that the jobs expect. */
  sources: { queries: VectorSource; docs: VectorSource }
}> {
  const documents = await documentsOf(store, needed)
  const dimensions = store.dimensions ?? 0
  const queries = queryVectors(items, dimensions)
  const docs = batchEmbeddings([...documents.values()], dimensions)
  const sources = { queries: vectorSource('', queries), docs: vectorSource('', docs) }
  return { documents, queries, docs, sources }
}

/** Returns the texts of a batch's queries; leaves out queries without a text. */
export function queryTexts(items: readonly BatchQuery[]): TextEntry[] {
  return items.flatMap(({ query, text }) => (text ? [{ ...text, id: query }] : []))
}

/** Returns the texts of a store's documents; leaves out documents without a text. */
export function documentTexts(documents: Iterable<StoreDocument>): TextEntry[] {
  return Array.from(documents).flatMap(({ id, title, text }) => {
    if (text === undefined) return []
    return [title === undefined ? { id, text } : { id, title, text }]
  })
}
