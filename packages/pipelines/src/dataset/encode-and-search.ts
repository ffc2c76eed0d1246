import { join } from 'node:path'
import { type EncodeInputs, encodeTexts } from '../encode/encode-texts.ts'
import type { Hooks } from '../job/hooks.ts'
import { searchRun } from '../search/search-run.ts'

/**
 * Makes the embeddings of a dataset in its folder (`docs.npy`, `queries.npy`) and the first documents
 * of each query (`run.trec`); the name of the run. A dataset that is passed on has them beside its
 * texts, not in `.kith`.
 */
export async function encodeAndSearch(
  folder: string,
  encoder: Omit<EncodeInputs, 'input' | 'out' | 'role'>,
  top: number,
  hooks: Hooks,
): Promise<string> {
  const at = (name: string): string => join(folder, name)
  const [docs, queries, out] = [at('docs.npy'), at('queries.npy'), at('run.trec')]
  const jobs = [
    { input: at('corpus.jsonl'), out: docs, role: 'document' },
    { input: at('queries.jsonl'), out: queries, role: 'query' },
  ] as const
  for (const job of jobs) {
    const { texts, resumed, seconds } = await encodeTexts({ ...encoder, ...job }, hooks)
    hooks.onRemark?.(`${job.out}: ${texts} texts (${Math.round((texts - resumed) / seconds)}/s)`)
  }
  await searchRun({ queries, docs, out, top }, hooks)
  return out
}
