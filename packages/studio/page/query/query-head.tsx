import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { QueryEntry, QueryList, StudioInfo } from '../../src/studio-wire.ts'
import type { Analysis, Estimate } from '../model/analysis.ts'
import { source } from '../model/source.ts'
import type { Update } from '../model/use-studio.ts'
import { difference, figure, percent, tone } from '../parts/document-text.tsx'

/** The query that is looked at, the way to another, and what reranking does for it. */
export function QueryHead(props: {
  info: StudioInfo
  query: QueryEntry | undefined
  measure: Analysis['measure']
  estimate: Analysis['estimate']
  missing: number
  update: Update
}): VNode {
  const { info, query, measure, estimate, missing, update } = props
  return (
    <section class="query-head" aria-label="Query">
      <QuerySearch
        freeText={info.model !== undefined}
        onChoose={(chosen) =>
          update({
            query: undefined,
            text: undefined,
            probe: undefined,
            truth: undefined,
            ...chosen,
          })
        }
      />
      <div class="query-title">
        <h1>{query ? (query.text ?? `Query ${query.id}`) : '…'}</h1>
        {query && (
          <p class="note">
            {query.id === '' ? (
              `your text, encoded with ${info.model}`
            ) : (
              <>
                <span class="id">{query.id}</span>
                {query.relevant > 0
                  ? ` · ${query.relevant} judged relevant`
                  : ' · no document judged relevant'}
              </>
            )}
            {missing > 0 && ` · ${missing} candidates without embedding or text left out`}
          </p>
        )}
      </div>
      <div class="figures">
        {estimate && <OnTopic {...estimate} />}
        {measure && (
          <p class="measure" aria-live="polite">
            <span class="name">nDCG@10</span>
            <span class="before">{figure(measure.before)}</span>
            <span class="arrow" aria-hidden="true">
              →
            </span>
            <span class="visually-hidden">becomes</span>
            <strong class="after">{figure(measure.after)}</strong>
            <span class={`change ${tone(measure.after - measure.before)}`}>
              {difference(measure.after - measure.before)}
            </span>
          </p>
        )}
      </div>
    </section>
  )
}

/**
 * Whether the corpus has something about the query, and how many of its hits are above the cutoff.
 */
function OnTopic({ onTopic, kept }: Estimate): VNode {
  return (
    <div class="on-topic">
      <p>
        <label for="on-topic">On topic</label>
        <meter id="on-topic" min={0} max={1} low={0.5} optimum={1} value={onTopic}>
          {percent(onTopic)}
        </meter>
        <strong>{percent(onTopic)}</strong>
      </p>
      <p class="note">
        {onTopic < 0.5 && 'The corpus probably has nothing about this query. '}
        Automatic cutoff: {kept === 1 ? '1 hit' : `${kept} hits`}
      </p>
    </div>
  )
}

/** A search box over the queries, and for free text: type words, go with the arrows, choose with Enter. */
function QuerySearch(props: {
  /** Whether words that are no query of the run can be looked at. */
  freeText: boolean
  onChoose: (chosen: { query: string } | { text: string }) => void
}): VNode {
  const { freeText, onChoose } = props
  const [words, setWords] = useState('')
  const [open, setOpen] = useState(false)
  const [list, setList] = useState<QueryList & { words?: string }>({ found: 0, entries: [] })
  const [active, setActive] = useState(0)
  /** The words that Enter chose while their list had not come yet. */
  const entered = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (!open) return
    const abort = new AbortController()
    const { signal } = abort
    source()
      .queries(words, signal)
      .then(
        (found) => {
          if (signal.aborted) return
          setList({ ...found, words })
          setActive(0)
          if (entered.current === words) choose(0, found.entries)
          entered.current = undefined
        },
        () => {
          // A newer search has replaced this one, or the server has stopped and the next request
          // reports it.
        },
      )
    return () => abort.abort()
  }, [words, open])
  useEffect(() => {
    document.getElementById(`query-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const own = words.trim()
  // The last line of the list.
  const ownLine = freeText && own !== '' ? list.entries.length : undefined
  const last = ownLine ?? list.entries.length - 1
  const choose = (index: number, entries: readonly QueryEntry[] = list.entries): void => {
    const entry = entries[index]
    if (entry) onChoose({ query: entry.id })
    else if (freeText && own !== '' && index === entries.length) onChoose({ text: own })
    else return
    setOpen(false)
    setWords('')
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => (open ? setActive(Math.min(active + 1, last)) : setOpen(true)),
    ArrowUp: () => setActive(Math.max(active - 1, 0)),
    Enter: () => {
      if (!open) setOpen(true)
      else if (list.words === words) choose(active)
      // The list still belongs to the words before.
      else entered.current = words
    },
    Escape: () => setOpen(false),
  }
  const option = (index: number, text: string, note: string): VNode => (
    <div
      key={index}
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
      <span class="text">{text}</span>
      <span class="id">{note}</span>
    </div>
  )
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
        aria-activedescendant={open && last >= 0 ? `query-${active}` : undefined}
        placeholder={freeText ? 'Search for a query, or type your own' : 'Search for a query'}
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
            {list.entries.map(({ id, text, relevant }, index) =>
              option(
                index,
                text ?? id,
                relevant > 0 ? `${relevant} relevant` : 'none judged relevant',
              ),
            )}
            {ownLine !== undefined && option(ownLine, `“${own}”`, 'search the documents')}
          </div>
          <p class="note">
            {list.found > list.entries.length
              ? `First ${list.entries.length} of ${list.found.toLocaleString('en')} queries; type more words to narrow the list`
              : `${list.found} ${list.found === 1 ? 'query' : 'queries'}`}
          </p>
        </div>
      )}
    </search>
  )
}
