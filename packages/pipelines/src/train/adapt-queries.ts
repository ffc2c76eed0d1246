import { basename } from 'node:path'
import { KithError } from '@kith/core'
import { type OpenEmbeddingsOptions, openEmbeddings, writeEmbeddings } from '@kith/ir'
import { learnedBehind } from '../files/learned-queries.ts'
import { readSidecar, writeSidecar } from '../files/sidecar.ts'
import { loadTrain } from './training-inputs.ts'

/** The query embeddings to adapt, and the adapter. */
export interface AdaptInputs extends OpenEmbeddingsOptions {
  /** A folder with `adapter.safetensors`, written by `trainFromFiles`. */
  adapter: string
  /** The embeddings of the queries. */
  queries: string
  /** The file to write the adapted embeddings to. */
  out: string
}

/**
 * Applies a trained query adapter to query embeddings of any encoder or API.
 *
 * ```ts
 * await adaptQueries({ adapter: 'trained', queries: 'queries.npy', out: 'adapted.npy' })
 * ```
 */
export async function adaptQueries(inputs: AdaptInputs): Promise<{ out: string; queries: number }> {
  const { openAdapter, QueryEncoder } = await loadTrain()
  const { adapter, out, dimensions, memory } = inputs
  const model = await openAdapter(adapter)
  await checkEncoder(inputs, model.origin.model)
  const queries = await openEmbeddings(inputs.queries, { dimensions, memory })
  try {
    const encoder = await QueryEncoder.open(model)
    try {
      const ids = Array.from({ length: queries.rows }, (_, row) => queries.idOf(row))
      const { data } = await encoder.encode(
        ids.map((id, row) => ({ id, vector: queries.read(row, row + 1) })),
      )
      await writeEmbeddings(out, { dimensions: model.dimensions, ids }, [data])
      await writeSidecar(out, 'adapt', { adapter, kind: model.kind }, [inputs.queries], {
        learnedFrom: await learnedBehind([adapter]),
      })
      return { out, queries: ids.length }
    } finally {
      await encoder.close()
    }
  } finally {
    await queries.close()
  }
}

/** Returns the name of the encoder that made embeddings, if their sidecar records it. */
export async function encoderOf(file: string): Promise<string | undefined> {
  const model = (await readSidecar(file))?.settings?.['model']
  // A model folder is compared by its name, since its location may differ.
  return typeof model === 'string' ? basename(model) : undefined
}

/**
 * Throws if embeddings come from another encoder than the encoder that an adapter was fitted to.
 */
async function checkEncoder(
  { adapter, queries }: AdaptInputs,
  fitted: string | undefined,
): Promise<void> {
  const made = await encoderOf(queries)
  if (fitted === undefined || made === undefined || made === fitted) return
  const problem = `${adapter} was fitted to embeddings of ${fitted}, but ${queries} was made with ${made}: encode the queries with ${fitted}`
  throw new KithError('BAD_INPUT', problem)
}
