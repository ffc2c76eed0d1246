import {
  type Embeddings,
  type OpenEmbeddingsOptions,
  openEmbeddings,
  type RankedQuery,
} from '@kith/ir'
import { formatByName, frameColumns, TextStore, writeRunParquet } from '@kith/ir/internal'
import type { TextFiles } from './open-texts.ts'
import type { DocumentPlace } from './stores.ts'

/** The inputs of work on a run. */
type RunInputs = { run: string } & DocumentPlace & TextFiles

/**
 * Takes the embeddings of documents, and their texts if queries have texts, from the run itself if
 * it is Parquet and nothing else is named.
 */
export function withFrame<T extends RunInputs>(inputs: T): T {
  const { run, docs, store, corpus, queryText } = inputs
  if (formatByName(run) !== 'parquet' || store !== undefined) return inputs
  const own = queryText === undefined ? undefined : run
  return { ...inputs, docs: docs ?? run, corpus: corpus ?? own }
}

/** Whether a new run has the vectors and texts that the old run has. */
export interface KeptColumns {
  vector: boolean
  text: boolean
}

/** The run that is written, and the one whose columns it takes. */
interface FrameOutput extends Pick<OpenEmbeddingsOptions, 'memory'> {
  run: string
  out: string
  kept: KeptColumns
}

/** The columns that a new run takes from the old one, if both are Parquet: columns that no file replaces. */
export function keptColumns(inputs: RunInputs & { out: string }): KeptColumns | undefined {
  const { run, out, docs, store, corpus } = inputs
  const parquet = [run, out].every((file) => formatByName(file) === 'parquet')
  if (!parquet || store !== undefined) return undefined
  return { vector: docs === undefined, text: corpus === undefined }
}

/**
 * Writes rankings with the documents' vectors and texts of the old run, so that the next stage has
 * them. Texts are read from a temporary copy, not held in memory.
 *
 * @param docs The embeddings of the old run, if they are open.
 */
export async function writeFrame(
  { run, out, kept, memory }: FrameOutput,
  docs: Embeddings | undefined,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
): Promise<void> {
  const has = await frameColumns(run)
  const texts = kept.text && has.text ? await TextStore.open(run) : undefined
  let opened: Embeddings | undefined
  try {
    if (kept.vector && has.vector && !docs) opened = await openEmbeddings(run, { memory })
    const vectors = docs ?? opened
    const vector = (id: string) => {
      const row = vectors!.rowOf(id)!
      return vectors!.read(row, row + 1)
    }
    await writeRunParquet(out, rankings, {
      title: texts && has.title ? (id) => texts.get(id)?.title : undefined,
      text: texts && ((id) => texts.get(id)?.text),
      vector: kept.vector && vectors ? vector : undefined,
    })
  } finally {
    await opened?.close()
    await texts?.close()
  }
}
