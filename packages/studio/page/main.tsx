import '@kith/languages'
import { render, type VNode } from 'preact'
import { App } from './app.tsx'
import { hold, readCollection, source } from './model/source.ts'
import { applyTheme } from './parts/masthead.tsx'
import { PastePage } from './paste/paste-page.tsx'

applyTheme()
const root = document.getElementById('studio')!
const show = (page: VNode): void => {
  root.replaceChildren()
  render(page, root)
}

/** Shows the dataset that was written into the page, or the server's dataset. */
async function open(): Promise<VNode> {
  const written = document.getElementById('collection')
  if (written) hold(readCollection(written.textContent!))
  return <App info={await source().info()} />
}

if (root.dataset['paste'] !== undefined) show(<PastePage />)
else {
  open().then(show, (error: Error) => show(<p class="failure">{error.message}</p>))
}
