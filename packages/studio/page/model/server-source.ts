import type { TermsName } from '@kith/core'
import {
  type DocumentText,
  decodeContext,
  type QueryList,
  type StudioContext,
  type StudioInfo,
} from '../../src/studio-wire.ts'

/** The properties of the collection on the server. */
export const fetchInfo = (): Promise<StudioInfo> => json('collection', {})

/** Queries that have some words. */
export const fetchQueries = (search: string, signal: AbortSignal): Promise<QueryList> =>
  json('queries', { search }, signal)

/** The ids of the judged queries. */
export const fetchJudged = (): Promise<string[]> => json('judged', {})

/** The texts of some documents. */
export const fetchDocuments = (ids: readonly string[]): Promise<DocumentText[]> =>
  json('documents', { id: ids })

/** The bytes of the collection's term statistics. */
export async function fetchStatistics(terms: TermsName): Promise<Uint8Array> {
  return new Uint8Array(await (await ask('terms', { terms }, undefined)).arrayBuffer())
}

/** One query with its first candidates and, if asked for, all its relevant documents. */
export async function fetchContext(
  query: string,
  top: number,
  { truth = false, signal }: { truth?: boolean; signal?: AbortSignal } = {},
): Promise<StudioContext> {
  const parameters = { query, top: String(top), ...(truth ? { truth: '' } : {}) }
  return decodeContext(await (await ask('context', parameters, signal)).arrayBuffer())
}

type Parameters = Record<string, string | readonly string[]>

async function json<T>(path: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
  return (await ask(path, parameters, signal)).json() as Promise<T>
}

async function ask(
  path: string,
  parameters: Parameters,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters)) {
    for (const value of [values].flat()) search.append(name, value)
  }
  let response: Response
  try {
    response = await fetch(`/api/${path}?${search}`, signal ? { signal } : {})
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Error('The studio does not answer: is `kith studio` still running?')
  }
  if (response.ok) return response
  const { error } = (await response.json()) as { error: string }
  throw new Error(error)
}
