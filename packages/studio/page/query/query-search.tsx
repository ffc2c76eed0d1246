import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { QueryList } from '../../src/studio-wire.ts'
import { fetchQueries } from '../model/api.ts'

/** A search box over the queries: type words, go with the arrows, choose with Enter. */
export function QuerySearch({ onChoose }: { onChoose: (id: string) => void }): VNode {
  const [words, setWords] = useState('')
  const [open, setOpen] = useState(false)
  const [list, setList] = useState<QueryList>({ found: 0, entries: [] })
  const [active, setActive] = useState(0)
  useEffect(() => {
    if (!open) return
    const abort = new AbortController()
    fetchQueries(words, abort.signal).then(
      (found) => {
        setList(found)
        setActive(0)
      },
      () => {
        // A newer search has taken its place, or the server is gone and the next request says so.
      },
    )
    return () => abort.abort()
  }, [words, open])
  useEffect(() => {
    document.getElementById(`query-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const choose = (index: number): void => {
    const entry = list.entries[index]
    if (!entry) return
    onChoose(entry.id)
    setOpen(false)
    setWords('')
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () =>
      open ? setActive(Math.min(active + 1, list.entries.length - 1)) : setOpen(true),
    ArrowUp: () => setActive(Math.max(active - 1, 0)),
    Enter: () => (open ? choose(active) : setOpen(true)),
    Escape: () => setOpen(false),
  }
  return (
    <search
      class="query-search"
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false)
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search for a query"
        aria-expanded={open}
        aria-controls="query-list"
        aria-autocomplete="list"
        aria-activedescendant={open && list.entries.length > 0 ? `query-${active}` : undefined}
        placeholder="Search for a query"
        autocomplete="off"
        spellcheck={false}
        value={words}
        onFocus={() => setOpen(true)}
        onInput={(event) => {
          setWords(event.currentTarget.value)
          setOpen(true)
        }}
        onKeyDown={(event) => {
          const act = keys[event.key]
          if (!act) return
          event.preventDefault()
          act()
        }}
      />
      {open && (
        <div class="popup">
          <div id="query-list" role="listbox" aria-label="Queries">
            {list.entries.map(({ id, text, relevant }, index) => (
              <div
                key={id}
                id={`query-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                // Before the box loses the focus, which would close the list.
                onPointerDown={(event) => {
                  event.preventDefault()
                  choose(index)
                }}
              >
                <span class="text">{text ?? id}</span>
                <span class="id">
                  {relevant > 0 ? `${relevant} relevant` : 'none judged relevant'}
                </span>
              </div>
            ))}
          </div>
          <p class="note">
            {list.found > list.entries.length
              ? `${list.entries.length} of ${list.found.toLocaleString('en')}: type more to see others`
              : `${list.found} ${list.found === 1 ? 'query' : 'queries'}`}
          </p>
        </div>
      )}
    </search>
  )
}
