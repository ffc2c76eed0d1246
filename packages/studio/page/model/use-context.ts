import { useEffect, useState } from 'preact/hooks'
import type { StudioContext } from '../../src/studio-wire.ts'
import { fetchContext } from './api.ts'

/** The context of a query, as far as it is there. */
export interface LoadedContext {
  /** That of the query before, until the new one has come. */
  source?: StudioContext
  error?: string
}

/** Fetches a query's candidates whenever it changes. */
export function useQueryContext(query: string, depth: number): LoadedContext {
  const [loaded, setLoaded] = useState<LoadedContext>({})
  useEffect(() => {
    const abort = new AbortController()
    fetchContext(query, depth, { truth: true, signal: abort.signal }).then(
      (source) => setLoaded({ source }),
      (error: Error) => {
        if (!abort.signal.aborted) setLoaded({ error: error.message })
      },
    )
    return () => abort.abort()
  }, [query, depth])
  return loaded
}
