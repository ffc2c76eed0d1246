import { type FileEmbeddings, type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'

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

/** Opens two things, both or none: where the second fails, the first is closed. */
export async function openBoth<A extends { close(): Promise<void> }, B>(
  openFirst: Promise<A>,
  openSecond: () => Promise<B>,
): Promise<[A, B]> {
  const first = await openFirst
  try {
    return [first, await openSecond()]
  } catch (error) {
    await first.close()
    throw error
  }
}
