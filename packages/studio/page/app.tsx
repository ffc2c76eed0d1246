import type { VNode } from 'preact'
import type { StudioInfo } from '../src/studio-wire.ts'
import { AuditView } from './audit/audit-view.tsx'
import { LabelsView } from './labels/labels-view.tsx'
import type { StudioState } from './model/state.ts'
import { useMethod } from './model/use-method.ts'
import { type Update, useQueryContext, useStudio, type ViewProps } from './model/use-studio.ts'
import { NeighborhoodView } from './neighborhood/neighborhood-view.tsx'
import { Masthead } from './parts/masthead.tsx'
import { QueryHead } from './query/query-head.tsx'
import { QueryView } from './query/query-view.tsx'
import { SettingsPanel } from './settings/settings-panel.tsx'

/** The whole page. */
export function App({ info }: { info: StudioInfo }): VNode {
  const [state, update] = useStudio()
  return (
    <>
      <a class="skip" href="#view">
        Skip to content
      </a>
      <Masthead info={info} view={state.view} update={update} />
      {state.view === 'audit' ? (
        <main id="view" class="narrow">
          <AuditView info={info} />
        </main>
      ) : (
        <OneQuery info={info} state={state} update={update} />
      )}
    </>
  )
}

/** The views that look at one query, with the settings beside them. */
function OneQuery(props: { info: StudioInfo; state: StudioState; update: Update }): VNode {
  const { info, state, update } = props
  const { source, error } = useQueryContext(state, info)
  const { done, error: refused } = useMethod('analyze', source, state.settings)
  const problem = error ?? refused
  return (
    <main class="beside">
      <div id="view" class="view">
        <QueryHead
          info={info}
          query={done?.source.query ?? source?.query}
          measure={done?.value.measure}
          estimate={done?.value.estimate}
          missing={done?.source.missing ?? 0}
          update={update}
        />
        {problem && (
          <p class="failure" role="alert">
            {problem}
          </p>
        )}
        {done?.source.retrieved === 0 && (
          <p class="empty">
            {info.texts
              ? 'No candidate of this query has both an embedding and a text.'
              : 'No candidate of this query has an embedding.'}
          </p>
        )}
        {done && done.source.retrieved > 0 && (
          <View
            info={info}
            state={state}
            update={update}
            source={done.source}
            settings={done.args[0]}
            analysis={done.value}
          />
        )}
      </div>
      <SettingsPanel info={info} state={state} update={update} />
    </main>
  )
}

function View(props: ViewProps): VNode {
  switch (props.state.view) {
    case 'neighborhood':
      return <NeighborhoodView {...props} />
    case 'labels':
      return <LabelsView {...props} />
    default:
      return <QueryView key={props.source.query.id} {...props} />
  }
}
