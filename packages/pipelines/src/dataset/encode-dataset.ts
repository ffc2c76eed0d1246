import { join } from 'node:path'
import { KithError } from '@kith/core'
import { type EncodeInputs, encodeTexts } from '../encode/encode-texts.ts'
import type { Hooks } from '../job/hooks.ts'
import { searchRun } from '../search/search-run.ts'
import { openDataset } from './dataset.ts'

/** A dataset to encode. */
export interface EncodeDatasetInputs extends Omit<EncodeInputs, 'input' | 'out'> {
  /** The folder of the dataset. */
  dataset: string
  /** The split whose queries to encode, if splits have their own queries. */
  split?: string | undefined
}

/** The embeddings for each kind of text. */
const embeddings = { document: 'documentEmbeddings', query: 'queryEmbeddings' } as const

/**
 * Encodes the documents and queries of a dataset, or only one of them, unless their embeddings are
 * up to date. Returns the files of the embeddings, and which of them were written.
 *
 * ```ts
 * const { files, written } = await encodeDataset({ dataset: 'cisi', model: 'minilm' })
 * ```
 */
export async function encodeDataset(
  { dataset: folder, split, role, model, ...encoder }: EncodeDatasetInputs,
  hooks: Hooks = {},
): Promise<{ files: string[]; written: string[] }> {
  const dataset = openDataset(folder, { split, model, encoder })
  const [files, written]: [string[], string[]] = [[], []]
  const onMade = (file: string) => void written.push(file)
  for (const of of role === undefined ? Object.values(embeddings) : [embeddings[role]]) {
    const file = await dataset.need(of, { ...hooks, onMade })
    if (file === undefined) {
      throw new KithError('BAD_INPUT', `${folder} has no ${dataset.lacking(of)}`)
    }
    files.push(file)
  }
  return { files, written }
}

/**
 * Writes the embeddings of a dataset (`docs.npy`, `queries.npy`) and the first documents of each
 * query (`run.trec`) to its folder, beside the texts, not to `.kith`. Returns the name of the run.
 *
 * ```ts
 * const run = await encodeAndSearch('cisi', { model: 'minilm' }, 100, {})
 * ```
 */
export async function encodeAndSearch(
  folder: string,
  encoder: Omit<EncodeInputs, 'input' | 'out' | 'role'>,
  top: number,
  hooks: Hooks,
): Promise<string> {
  const at = (name: string): string => join(folder, name)
  const [docs, queries, out] = [at('docs.npy'), at('queries.npy'), at('run.trec')]
  // Queries first: if the long encoding of the documents is stopped, the next call resumes it.
  const jobs = [
    { input: at('queries.jsonl'), out: queries, role: 'query' },
    { input: at('corpus.jsonl'), out: docs, role: 'document' },
  ] as const
  for (const job of jobs) {
    const { texts, resumed, seconds } = await encodeTexts({ ...encoder, ...job }, hooks)
    hooks.onRemark?.(`${job.out}: ${texts} texts (${Math.round((texts - resumed) / seconds)}/s)`)
  }
  await searchRun({ queries, docs, out, top }, hooks)
  return out
}
