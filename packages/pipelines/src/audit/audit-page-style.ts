/** The look of the judging page: one column, readable, light and dark. */
export const auditPageStyle = `
:root { color-scheme: light dark; --ink: #1c2126; --soft: #5a646e; --ground: #fbfaf7; --card: #fff; --line: #d9d6cc; --yes: #1d7a46; --no: #a93226; --key: #2a5d9f }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e0; --soft: #a3abb3; --ground: #16191c; --card: #1f2428; --line: #3a4147; --yes: #5cc48b; --no: #f0857a; --key: #8fbcff } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 1rem }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; color: var(--soft) }
header strong { color: var(--ink) }
progress { width: 100%; height: .5rem; accent-color: var(--key) }
h1 { font-size: 1.25rem; margin: 1rem 0 .5rem; overflow-wrap: anywhere }
article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: .75rem 0; overflow-wrap: anywhere }
article.candidate { border-width: 2px; border-color: var(--key) }
article.accepted { border-color: var(--yes) }
article.rejected { border-color: var(--no) }
article h2 { font-size: .85rem; font-weight: 600; color: var(--soft); margin: 0 0 .25rem }
article p { margin: .25rem 0; max-height: 20rem; overflow: auto }
.bar { display: flex; flex-wrap: wrap; gap: .5rem; position: sticky; bottom: 0; padding: .75rem 0; background: var(--ground) }
button { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .8rem; cursor: pointer }
button:focus-visible { outline: 3px solid var(--key); outline-offset: 2px }
button.yes { border-color: var(--yes); color: var(--yes) }
button.no { border-color: var(--no); color: var(--no) }
kbd { font: .8em ui-monospace, monospace; border: 1px solid var(--line); border-radius: .25rem; padding: 0 .3em; color: var(--soft) }
`
