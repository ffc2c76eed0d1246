import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Analysis } from '../model/analysis.ts'
import type { ViewProps } from '../model/view-props.ts'
import { Legend } from '../parts/legend.tsx'
import { ExplanationCard } from './explanation-card.tsx'
import { Links } from './links.tsx'
import { RankingList } from './ranking-list.tsx'
import { partTitles } from './score-bar.tsx'
import { useLinkedHover } from './use-linked-hover.ts'
import { useVisibleRows } from './use-visible-rows.ts'

const signs = {
  'key-line gain': 'rises',
  'key-line loss': 'falls',
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
      <Legend signs={{ ...signs, ...partSigns(analysis) }} />
      <section class="rankings" ref={hover} aria-label="The ranking before and after">
        <RankingList title="Before" when="before" {...lists} />
        <Links {...lists} />
        <RankingList title="After" when="after" {...lists} />
      </section>
      {size > FIRST && (
        <button type="button" class="below" onClick={() => setWhole(!whole)} aria-expanded={whole}>
          {whole ? `Show the first ${FIRST}` : `Show all ${size} of the context`}
        </button>
      )}
      {selected !== undefined && (
        <ExplanationCard {...props} document={selected} onClose={() => setSelected(undefined)} />
      )}
    </>
  )
}

/** The parts of the bars, by the class of their color. */
function partSigns({ shown }: Analysis): Record<string, string> {
  return Object.fromEntries(shown.map((name) => [`key-bar ${name}`, `part of ${partTitles[name]}`]))
}
