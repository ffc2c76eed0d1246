import { decodeContext, type StudioContext } from '../../src/studio-wire.ts'
import type { DataSource } from './source.ts'

/** The data of the studio's server. */
export const serverSource: DataSource = {
  info: () => json('collection', {}),
  queries: (search, signal) => json('queries', { search }, signal),
  judged: () => json('judged', {}),
  documents: (ids) => json('documents', { id: ids }),
  statistics: async (tokenizer) =>
    new Uint8Array(await (await ask('term-statistics', { tokenizer })).arrayBuffer()),
  context: (query, top, { truth = false, signal } = {}) =>
    context('context', { query, top: String(top), ...(truth ? { truth: '' } : {}) }, signal),
  textContext: (text, top, signal) => context('text', { text, top: String(top) }, signal),
}

type Parameters = Record<string, string | readonly string[]>

async function json<T>(path: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
  return (await ask(path, parameters, signal)).json() as Promise<T>
}

async function context(
  path: string,
  parameters: Parameters,
  signal: AbortSignal | undefined,
): Promise<StudioContext> {
  return decodeContext(await (await ask(path, parameters, signal)).arrayBuffer())
}

async function ask(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Response> {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters)) {
    for (const value of [values].flat()) search.append(name, value)
  }
  let response: Response
  try {
    // A worker's own address is no place that a path could start from.
    response = await fetch(`${location.origin}/api/${path}?${search}`, signal ? { signal } : {})
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Error('The studio does not answer: is `kith studio` still running?')
  }
  if (response.ok) return response
  const { error } = (await response.json()) as { error: string }
  throw new Error(error)
}
