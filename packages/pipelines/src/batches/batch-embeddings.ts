import type { Embeddings } from '@kith/ir'
import type { Store, StoreDocument } from '@kith/stores'

/** A few vectors with ids, as the embeddings of a file would be: what the jobs work on. */
export function batchEmbeddings(
  entries: readonly { id: string; vector: Float32Array }[],
  dimensions: number,
): Embeddings & { memory: Float32Array } {
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
    async close() {},
    async [Symbol.asyncDispose]() {},
  }
}

/** The documents with some ids that the store has, each once. */
export async function documentsOf(
  store: Store,
  ids: Iterable<string>,
): Promise<Map<string, StoreDocument>> {
  const wanted = [...new Set(ids)]
  const documents = new Map<string, StoreDocument>()
  for (const document of await store.fetch(wanted)) {
    if (document) documents.set(document.id, document)
  }
  return documents
}
