import { type Embeddings, type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'

/** The embeddings of queries and documents. */
export interface OpenVectors {
  queries: Embeddings
  docs: Embeddings
  close(): Promise<void>
}

/** Opens the embeddings of queries and documents, both or none. */
export async function openVectors(
  files: { queries: string; docs: string } & OpenEmbeddingsOptions,
): Promise<OpenVectors> {
  const { dimensions, memory } = files
  const queries = await openEmbeddings(files.queries, { dimensions, memory })
  try {
    const docs = await openEmbeddings(files.docs, { dimensions, memory })
    return {
      queries,
      docs,
      async close() {
        await queries.close()
        await docs.close()
      },
    }
  } catch (error) {
    await queries.close()
    throw error
  }
}
