import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { StudioContext, StudioDocument } from '../../src/studio-wire.ts'
import { type Done, useMethod } from '../model/use-method.ts'
import type { ViewProps } from '../model/use-studio.ts'
import { Legend, moveFocus } from '../parts/controls.tsx'
import { decimal, FullText, inOneLine } from '../parts/document-text.tsx'
import { Mark } from '../query/ranking-list.tsx'
import type { Exploration } from './explore.ts'
import { Graph } from './graph.tsx'

const signs = {
  'mark query': 'query',
  'mark relevant': 'judged relevant',
  'mark plain': 'other',
  'key-line edge': 'reciprocal',
  'key-line faint': 'one-way',
  'key-line violet': 'neighbors of the selected document (R)',
  'key-line violet dashed': 'added by expansion (R*)',
}

/** The longest name in the picture. */
const NAME = 28

/** The context as a graph: neighbors, and reciprocal neighbors. */
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

interface NeighborPanelProps {
  source: StudioContext
  exploration: Exploration
  looked: number | undefined
  level: number
  onProbe: (row: number) => void
}

/** Details of the document under the pointer, else of the probe. */
function NeighborPanel(props: NeighborPanelProps): VNode {
  const { source, exploration, looked, level, onProbe } = props
  const { members, neighborhood, similarities, probe, ranks } = exploration
  const documentOf = (row: number): StudioDocument => source.documents[members[row - 1]!]!
  const focus = looked ?? probe
  const entry = focus === 0 ? undefined : documentOf(focus)
  const { reciprocal, extended } = neighborhood
  const [own, more] = [reciprocal[focus]!, extended[focus]!]
  const weight = similarities.mixed ?? similarities.jaccard
  const byWeight = (a: number, b: number): number => weight[b]! - weight[a]! || a - b
  return (
    <div class="panel">
      <p class="kind">
        {focus === probe ? 'Selected' : 'Under the pointer'}
        {entry && (
          <span class="id">
            {' '}
            · rank {members[focus - 1]! + 1} → {ranks[focus]! + 1}
          </span>
        )}
      </p>
      {entry ? (
        <FullText {...entry} />
      ) : (
        <FullText id={source.query.id} text={source.query.text ?? source.query.id} />
      )}
      {focus !== probe && (
        <dl class="facts">
          <dt>Similarity to the selected document</dt>
          <dd>{decimal(similarities.geometric[focus]!)}</dd>
          <dt>Neighbor score (Jaccard overlap)</dt>
          <dd>{decimal(similarities.jaccard[focus]!)}</dd>
          {similarities.mixed && (
            <>
              <dt>Score</dt>
              <dd>{decimal(similarities.mixed[focus]!)}</dd>
            </>
          )}
        </dl>
      )}
      <h3>
        {own.length} reciprocal neighbors
        {more.length > 0 && `, ${own.length + more.length} in R*`}
      </h3>
      <ul class="members" onKeyDown={moveFocus}>
        {[...own.toSorted(byWeight), ...more.toSorted(byWeight)].map((row) => (
          <li key={row}>
            <button
              type="button"
              title="Select this document"
              class={more.includes(row) ? 'extended' : ''}
              onClick={() => onProbe(row)}
            >
              {row === 0 ? (
                <span class="mark query" />
              ) : (
                <Mark grade={documentOf(row).grade} level={level} />
              )}
              <span class="text">
                {row === 0
                  ? `The query: ${source.query.text ?? source.query.id}`
                  : inOneLine(documentOf(row))}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {probe !== 0 && (
        <button type="button" onClick={() => onProbe(0)}>
          Back to the query
        </button>
      )}
    </div>
  )
}
