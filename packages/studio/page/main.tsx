import { render, type VNode } from 'preact'
import { App } from './app.tsx'
import { fetchInfo } from './model/api.ts'
import { applyTheme } from './parts/theme.tsx'

applyTheme()
const show = (page: VNode): void => {
  const root = document.getElementById('studio')!
  root.replaceChildren()
  render(page, root)
}
fetchInfo().then(
  (info) => show(<App info={info} />),
  (error: Error) => show(<p class="failure">{error.message}</p>),
)
