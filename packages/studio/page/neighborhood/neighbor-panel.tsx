import type { VNode } from 'preact'
import type { StudioContext, StudioDocument } from '../../src/studio-wire.ts'
import { FullText, inOneLine } from '../parts/document-text.tsx'
import { decimal } from '../parts/figure.ts'
import { moveFocus } from '../parts/move-focus.ts'
import { Mark } from '../query/ranking-list.tsx'
import type { Exploration } from './explore.ts'

interface NeighborPanelProps {
  source: StudioContext
  exploration: Exploration
  looked: number | undefined
  level: number
  onProbe: (row: number) => void
}

/** What is known about the document under the pointer, else about the probe. */
export function NeighborPanel(props: NeighborPanelProps): VNode {
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
        {focus === probe ? 'Probe' : 'Under the pointer'}
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
          <dt>Geometric similarity to the probe</dt>
          <dd>{decimal(similarities.geometric[focus]!)}</dd>
          <dt>Shared neighborhood (Jaccard)</dt>
          <dd>{decimal(similarities.jaccard[focus]!)}</dd>
          {similarities.mixed && (
            <>
              <dt>Mixed</dt>
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
              title="Make it the probe"
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
