import { KithError } from '@kith/core'
import type { EncodeInputs } from '../encode/encode-texts.ts'
import type { Hooks } from '../job/hooks.ts'
import { openDataset } from './dataset.ts'

/** A dataset to encode. */
export interface EncodeDatasetInputs extends Omit<EncodeInputs, 'input' | 'out'> {
  /** The folder of the dataset. */
  dataset: string
  /** The split whose queries are encoded, where splits have queries of their own. */
  split?: string | undefined
}

/** The embeddings of each role of a text. */
const embeddings = { document: 'documentEmbeddings', query: 'queryEmbeddings' } as const

/**
 * Encodes the documents and the queries of a dataset, or those of one role, unless their embeddings
 * are fresh and of the same settings; the files of the embeddings.
 */
export async function encodeDataset(
  { dataset: folder, split, role, model, ...encoder }: EncodeDatasetInputs,
  hooks: Hooks = {},
): Promise<string[]> {
  const dataset = openDataset(folder, { split, model, encoder })
  const files: string[] = []
  for (const of of role === undefined ? Object.values(embeddings) : [embeddings[role]]) {
    const file = await dataset.need(of, hooks)
    if (file === undefined) {
      throw new KithError('BAD_INPUT', `${folder} has no ${dataset.lacking(of)}`)
    }
    files.push(file)
  }
  return files
}
