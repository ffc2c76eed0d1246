import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { StudioContext, StudioInfo } from '../../src/studio-wire.ts'
import type { Analysis } from './analysis.ts'
import type { PageSettings } from './page-settings.ts'
import { source } from './source.ts'
import { addressOf, type StudioState, stateFrom } from './state.ts'

/** Changes some of the state; a function gets the latest one, which may not have been drawn yet. */
export type Update = (
  change: Partial<StudioState> | ((latest: StudioState) => Partial<StudioState>),
) => void

/** A slider that is moved asks for a new address many times a second; browsers refuse that. */
const ADDRESS_PAUSE = 250

/** The state of the page, kept in its address. */
export function useStudio(): [StudioState, Update] {
  const [state, setState] = useState(() => stateFrom(location.search))
  const latest = useRef(state)
  useEffect(() => {
    const restore = (): void => {
      latest.current = stateFrom(location.search)
      setState(latest.current)
    }
    addEventListener('popstate', restore)
    return () => removeEventListener('popstate', restore)
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => {
      const address = addressOf(state)
      if (address !== location.search) history.replaceState(null, '', address)
    }, ADDRESS_PAUSE)
    return () => clearTimeout(timer)
  }, [state])
  const update = useCallback<Update>((change) => {
    const part = typeof change === 'function' ? change(latest.current) : change
    const next = { ...latest.current, ...part }
    // The back button goes through queries and views, not through every move of a slider.
    const { view, query, text } = latest.current
    if (next.view !== view || next.query !== query || next.text !== text) {
      history.replaceState(null, '', addressOf(latest.current))
      history.pushState(null, '', addressOf(next))
    }
    latest.current = next
    setState(next)
  }, [])
  return [state, update]
}

/** The context of a query, as far as it is loaded. */
interface LoadedContext {
  /** The context of the query before, until the new one has arrived. */
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

/** The properties that every view of one query gets. */
export interface ViewProps {
  info: StudioInfo
  source: StudioContext
  /** The settings of the analysis; the state may already have newer ones. */
  settings: PageSettings
  analysis: Analysis
  state: StudioState
  update: Update
}
