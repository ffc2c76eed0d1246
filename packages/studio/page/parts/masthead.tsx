import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { held } from '../model/source.ts'
import { type ViewName, viewNames } from '../model/state.ts'
import type { Update } from '../model/use-studio.ts'

const titles: Record<ViewName, string> = {
  query: 'Ranking',
  neighborhood: 'Neighborhood',
  labels: 'Labels',
  audit: 'Audit',
}

/** The name of the page, its dataset, and the links to the views. */
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

const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const KEY = 'kith-theme'
const signs: Record<Theme, string> = { auto: '◐', light: '○', dark: '●' }

/** Gives the page the colors that were chosen the last time; `auto` is the system's. */
export function applyTheme(theme = chosenTheme()): void {
  document.documentElement.dataset['theme'] = theme
  dispatchEvent(new Event('theme'))
}

/** A button that goes through the system's colors, light and dark. */
export function ThemeSwitch(): VNode {
  const [theme, setTheme] = useState(chosenTheme)
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!
  const change = (): void => {
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // Holds until the page is closed.
    }
    applyTheme(next)
    setTheme(next)
  }
  return (
    <button
      type="button"
      class="theme"
      onClick={change}
      title={`Theme: ${theme}. Switch to ${next}`}
      aria-label={`Theme: ${theme}. Switch to ${next}`}
    >
      {signs[theme]}
    </button>
  )
}

function chosenTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto'
  } catch {
    return 'auto'
  }
}
