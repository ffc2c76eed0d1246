import { useEffect, useState } from 'preact/hooks'
import type { StudioContext, StudioInfo } from '../../src/studio-wire.ts'
import { source } from './source.ts'
import type { StudioState } from './state.ts'

/** The context of a query, as far as it is there. */
export interface LoadedContext {
  /** That of the query before, until the new one has come. */
  source?: StudioContext
  error?: string
}

/** Fetches the candidates of a query, or of a free text, whenever it changes. */
export function useQueryContext(
  { query, text }: Pick<StudioState, 'query' | 'text'>,
  { first, depth }: StudioInfo,
): LoadedContext {
  const [loaded, setLoaded] = useState<LoadedContext>({})
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const found =
      text === undefined
        ? source().context(query ?? first, depth, { truth: true, signal })
        : source().textContext(text, depth, signal)
    found.then(
      (context) => {
        if (!signal.aborted) setLoaded({ source: context })
      },
      (error: Error) => {
        if (!signal.aborted) setLoaded({ error: error.message })
      },
    )
    return () => abort.abort()
  }, [query, text, first, depth])
  return loaded
}
