import type { VNode } from 'preact'
import { useMethod } from '../model/use-method.ts'
import type { ViewProps } from '../model/view-props.ts'
import { FullText, inOneLine } from '../parts/document-text.tsx'
import { decimal } from '../parts/figure.ts'
import { Mark } from './ranking-list.tsx'

/** Neighbours that are named. */
const NAMED = 6

/** Why a document stands where it stands: the parts of its score, and who vouches for it. */
export function ExplanationCard(
  props: ViewProps & { document: number; onClose: () => void },
): VNode | null {
  const { source, analysis, settings, info, onClose, update } = props
  const { done } = useMethod('explain', source, settings, props.document)
  // The next one may come from another query, whose documents these are not.
  if (!done || done.source !== source) return null
  const { documents, query } = source
  const { index: document, rankBefore, rankAfter, score, jaccard, shared } = done.value
  const entry = documents[document]!
  return (
    <aside class="card explanation" aria-label="Why it stands there">
      <button type="button" class="close" onClick={onClose} aria-label="Close">
        ×
      </button>
      <div class="columns">
        <div>
          <h3>
            {rankBefore === rankAfter
              ? `Stays at ${rankAfter}`
              : `From ${rankBefore} to ${rankAfter}`}
          </h3>
          <FullText {...entry} />
          <button type="button" onClick={() => update({ view: 'neighbourhood', probe: entry.id })}>
            See its neighbourhood
          </button>
        </div>
        <div>
          <h3>Score {decimal(score)}</h3>
          <dl class="facts">
            <dt>
              <span class="key-bar geometric" /> Geometric part
            </dt>
            <dd>{decimal(analysis.geometric[document]!)}</dd>
            <dt>
              <span class="key-bar jaccard" /> Neighbours’ part
            </dt>
            <dd>{decimal(analysis.jaccard[document]!)}</dd>
            <dt>Shared neighbourhood (Jaccard)</dt>
            <dd>{decimal(jaccard)}</dd>
          </dl>
        </div>
        <div>
          <h3>
            {shared.length === 0
              ? 'Nobody vouches for it'
              : `Vouched for by ${shared.length} shared neighbours`}
          </h3>
          <ul class="vouchers">
            {shared.slice(0, NAMED).map(({ member, queryWeight, candidateWeight }) => (
              <li key={member}>
                {member === 'query' ? (
                  <span class="mark query" />
                ) : (
                  <Mark grade={documents[member]!.grade} level={info.level} />
                )}
                <span class="text">
                  {member === 'query'
                    ? `The query: ${query.text ?? query.id}`
                    : inOneLine(documents[member]!)}
                </span>
                <span class="number">{decimal(Math.min(queryWeight, candidateWeight))}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </aside>
  )
}
