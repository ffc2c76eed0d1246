import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type Done, useMethod } from '../model/use-method.ts'
import type { ViewProps } from '../model/view-props.ts'
import { Legend } from '../parts/legend.tsx'
import { Graph } from './graph.tsx'
import { NeighborPanel } from './neighbor-panel.tsx'

const signs = {
  'mark query': 'query',
  'mark relevant': 'judged relevant',
  'mark plain': 'other',
  'key-line edge': 'reciprocal',
  'key-line faint': 'one-way',
  'key-line violet': 'R of the document looked at',
  'key-line violet dashed': 'what R* adds',
}

/** The longest name in the picture. */
const NAME = 28

/** The context as a graph: who is whose neighbor, and who vouches for whom. */
export function NeighborhoodView({ source, settings, state, info, update }: ViewProps): VNode {
  const { done, error } = useMethod('explore', source, settings, state.probe)
  if (!done) return <p class={error ? 'failure' : 'loading'}>{error ?? 'Finding neighbors …'}</p>
  const probe = (row: number): void =>
    update({
      probe: row === 0 ? undefined : done.source.documents[done.value.members[row - 1]!]!.id,
    })
  return <Explored done={done} level={info.level} onProbe={probe} />
}

function Explored(props: {
  done: Done<'explore'>
  level: number
  onProbe: (row: number) => void
}): VNode {
  const { done, level, onProbe } = props
  const { source, value } = done
  const { probe, ranks, members } = value
  const [looked, setLooked] = useState<number>()
  const { relevant, labels } = useMemo(() => {
    const shown = members.map((document) => source.documents[document]!)
    return {
      relevant: [false, ...shown.map(({ grade }) => (grade ?? -1) >= level)],
      labels: [
        shortened(source.query.text ?? source.query.id),
        ...shown.map(({ id, title, text }) => shortened(title || text || id)),
      ],
    }
  }, [source, members, level])
  const focus = looked !== undefined && looked < ranks.length ? looked : undefined
  return (
    <section class="neighborhood" aria-label="The neighborhood">
      <div class="picture">
        <Graph
          projection={value.projection}
          neighborhood={value.neighborhood}
          ranks={ranks}
          relevant={relevant}
          labels={labels}
          probe={probe}
          looked={focus}
          onLook={setLooked}
          onProbe={onProbe}
        />
        <Legend signs={signs} />
      </div>
      <NeighborPanel
        source={source}
        exploration={value}
        looked={focus}
        level={level}
        onProbe={onProbe}
      />
    </section>
  )
}

function shortened(text: string): string {
  return text.length > NAME ? `${text.slice(0, NAME - 1).trimEnd()}…` : text
}
