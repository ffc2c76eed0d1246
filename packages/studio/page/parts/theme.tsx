import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

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
      title={`Colors: ${theme}. Change to ${next}`}
      aria-label={`Colors: ${theme}. Change to ${next}`}
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
