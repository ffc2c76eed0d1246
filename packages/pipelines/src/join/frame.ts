import {
  type Embeddings,
  type OpenEmbeddingsOptions,
  openEmbeddings,
  type RankedQuery,
} from '@kith/ir'
import { formatByName, frameColumns, TextStore, writeRunParquet } from '@kith/ir/internal'
import type { TextFiles } from './open-texts.ts'
import type { DocumentPlace } from './place.ts'

/** The inputs of a job on a run. */
type RunInputs = { run: string } & DocumentPlace & TextFiles

/**
 * Uses the run itself as the source of document embeddings, and of texts if queries have texts, if
 * the run is Parquet and the inputs name no other source.
 */
export function withFrame<T extends RunInputs>(inputs: T): T {
  const { run, docs, store, corpus, queryText } = inputs
  if (formatByName(run) !== 'parquet' || store !== undefined) return inputs
  const own = queryText === undefined ? undefined : run
  return { ...inputs, docs: docs ?? run, corpus: corpus ?? own }
}

/** Whether a new run keeps the vectors and the texts of the old run. */
export interface KeptColumns {
  vector: boolean
  text: boolean
}

/** The run to write, and the run whose columns it keeps. */
interface FrameOutput extends Pick<OpenEmbeddingsOptions, 'memory'> {
  run: string
  out: string
  kept: KeptColumns
}

/**
 * Returns the columns that a new run keeps from the old run if both are Parquet: the columns that
 * no other input replaces.
 */
export function keptColumns(inputs: RunInputs & { out: string }): KeptColumns | undefined {
  const { run, out, docs, store, corpus } = inputs
  const parquet = [run, out].every((file) => formatByName(file) === 'parquet')
  if (!parquet || store !== undefined) return undefined
  return { vector: docs === undefined, text: corpus === undefined }
}

/**
 * Writes rankings with the documents' vectors and texts of the old run, for the next stage. Texts
 * are read from a temporary copy, not held in memory.
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
