import { type FileEmbeddings, type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { openBoth } from './open-both.ts'

/** The embeddings of queries and documents. */
export interface OpenVectors {
  queries: FileEmbeddings
  docs: FileEmbeddings
  close(): Promise<void>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the embeddings of queries and documents, both or none. */
export async function openVectors(
  files: { queries: string; docs: string } & OpenEmbeddingsOptions,
): Promise<OpenVectors> {
  const { dimensions, memory, checked } = files
  const [queries, docs] = await openBoth(
    openEmbeddings(files.queries, { dimensions, memory, checked }),
    () => openEmbeddings(files.docs, { dimensions, memory, checked }),
  )
  const close = async (): Promise<void> => {
    await queries.close()
    await docs.close()
  }
  return { queries, docs, close, [Symbol.asyncDispose]: close }
}
