import type { RefObject, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Analysis } from '../model/analysis.ts'
import { backgroundCommand } from '../model/copy.ts'
import { held } from '../model/source.ts'
import type { ViewProps } from '../model/use-studio.ts'
import { Legend } from '../parts/controls.tsx'
import { ExplanationCard } from './explanation-card.tsx'
import { Links, useVisibleRows } from './links.tsx'
import { partTitles, RankingList } from './ranking-list.tsx'

const signs = {
  'key-line gain': 'moved up',
  'key-line loss': 'moved down',
  'mark relevant': 'judged relevant',
  'mark rejected': 'judged not relevant',
}

/** Places that are shown at first. */
const FIRST = 20

/** The ranking before and after, side by side, with a line from each document to itself. */
export function QueryView(props: ViewProps): VNode {
  const { source, analysis } = props
  const [whole, setWhole] = useState(false)
  const [selected, setSelected] = useState<number>()
  const hover = useLinkedHover()
  const { documents } = source
  const { size } = analysis
  const shown = whole ? size : Math.min(size, FIRST)
  const rows = useVisibleRows(hover, '.links', shown)
  const lists = {
    documents,
    analysis,
    shown,
    rows,
    selected,
    onSelect: setSelected,
    level: props.info.level,
  }
  return (
    <>
      <Legend signs={{ ...signs, ...cutoffSign(analysis), ...partSigns(analysis) }} />
      <section class="rankings" ref={hover} aria-label="The ranking before and after">
        <RankingList title="Before" when="before" {...lists} />
        <Links {...lists} />
        <RankingList title="After" when="after" {...lists} />
      </section>
      {size > FIRST && (
        <button type="button" class="below" onClick={() => setWhole(!whole)} aria-expanded={whole}>
          {whole ? `Show the first ${FIRST}` : `Show all ${size} reranked documents`}
        </button>
      )}
      {props.info.texts && !props.info.background && props.info.files && (
        <p class="note background">
          No estimates of relevance, cutoff and topic: run{' '}
          <code>{backgroundCommand(props.info.files)}</code>
          {held() ? ', and export the page again.' : ', and start the studio again.'}
        </p>
      )}
      {selected !== undefined && (
        <ExplanationCard {...props} document={selected} onClose={() => setSelected(undefined)} />
      )}
    </>
  )
}

/** The line where the automatic cutoff falls, if it is known. */
function cutoffSign({ estimate }: Analysis): Record<string, string> {
  return estimate ? { 'key-line cutoff': 'automatic cutoff' } : {}
}

/** The parts of the bars, by the class of their color. */
function partSigns({ shown }: Analysis): Record<string, string> {
  return Object.fromEntries(shown.map((name) => [`key-bar ${name}`, partTitles[name]]))
}

/**
 * Everything that belongs to the document under the pointer or the focus gets the class `active`.
 * Done past the virtual document: with a thousand rows, drawing all of them again for each move of
 * the pointer would be seen.
 */
function useLinkedHover(): RefObject<HTMLElement | null> {
  const root = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = root.current!
    let active: string | undefined
    const show = (event: Event): void => {
      const target = event.target instanceof Element ? event.target : undefined
      const owner = target?.closest('[data-document]')
      const next = owner?.getAttribute('data-document') ?? undefined
      if (next === active) return
      for (const part of element.querySelectorAll('.active')) part.classList.remove('active')
      active = next
      if (next === undefined) return
      for (const part of element.querySelectorAll(`[data-document="${next}"]`)) {
        part.classList.add('active')
      }
    }
    const events = ['pointerover', 'pointerleave', 'focusin', 'focusout']
    for (const name of events) element.addEventListener(name, show)
    return () => {
      for (const name of events) element.removeEventListener(name, show)
    }
  }, [])
  return root
}
