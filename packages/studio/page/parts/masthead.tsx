import type { VNode } from 'preact'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { held } from '../model/source.ts'
import { type ViewName, viewNames } from '../model/state.ts'
import type { Update } from '../model/use-studio.ts'
import { ThemeSwitch } from './theme.tsx'

const titles: Record<ViewName, string> = {
  query: 'Ranking',
  neighborhood: 'Neighborhood',
  labels: 'Labels',
  audit: 'Audit',
}

/** The name of the page, what it looks at, and the way from view to view. */
export function Masthead(props: { info: StudioInfo; view: ViewName; update: Update }): VNode {
  const { info, view, update } = props
  return (
    <header class="masthead">
      <p class="wordmark">
        Kith <span>Studio</span>
      </p>
      <nav aria-label="Views">
        {viewNames.map((name) => (
          <a
            key={name}
            href={`?view=${name}`}
            aria-current={name === view ? 'page' : undefined}
            onClick={(event) => {
              // Another tab or window is the browser's business.
              if (event.ctrlKey || event.metaKey || event.shiftKey) return
              event.preventDefault()
              update({ view: name })
            }}
          >
            {titles[name]}
          </a>
        ))}
        {view !== 'audit' && (
          <button type="button" class="sheet-open" popovertarget="settings">
            Settings
          </button>
        )}
      </nav>
      <p class="collection" title={info.name}>
        <strong>{info.name}</strong>
        <span>
          {info.documents.toLocaleString('en')} documents, {info.queries.toLocaleString('en')}{' '}
          {info.queries === 1 ? 'query' : 'queries'}
        </span>
      </p>
      {held() && (
        <a class="own-data" href="paste.html">
          Your own data
        </a>
      )}
      <ThemeSwitch />
    </header>
  )
}
