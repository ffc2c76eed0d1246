import type { VNode } from 'preact'
import type { QueryEntry, StudioInfo } from '../../src/studio-wire.ts'
import type { Analysis } from '../model/analysis.ts'
import type { Update } from '../model/use-studio.ts'
import { difference, figure, tone } from '../parts/figure.ts'
import { QuerySearch } from './query-search.tsx'

/** The query that is looked at, the way to another, and what reranking does for it. */
export function QueryHead(props: {
  info: StudioInfo
  query: QueryEntry | undefined
  measure: Analysis['measure']
  missing: number
  update: Update
}): VNode {
  const { info, query, measure, missing, update } = props
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
              `your own words, encoded by ${info.model}`
            ) : (
              <>
                <span class="id">{query.id}</span>
                {query.relevant > 0
                  ? ` · ${query.relevant} judged relevant`
                  : ' · nothing judged relevant'}
              </>
            )}
            {missing > 0 && ` · ${missing} without embedding or text left out`}
          </p>
        )}
      </div>
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
    </section>
  )
}
