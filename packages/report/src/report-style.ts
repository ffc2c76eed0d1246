import { declarations } from './plots/axes.ts'

/** The style of the report: one column of text, and figures in two columns if there is room. */
export const reportStyle = `
:root { color-scheme: light; ${declarations('light')} }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; ${declarations('dark')} } }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
main { max-width: 1196px; margin: 0 auto; padding: 56px 48px 96px }
h1, h2, .headline { font-family: ui-serif, Georgia, serif; font-weight: 500; line-height: 1.2; letter-spacing: -.01em; text-wrap: balance }
h1 { font-size: 2.25rem; margin: 0 0 .75rem }
h2 { font-size: 1.5rem; margin: 0 0 1.25rem }
h3 { font-size: 1rem; font-weight: 600; margin: 0 0 .5rem }
h4 { font-size: .875rem; font-weight: 600; margin: 0 0 .5rem }
header .collection { margin: 0 0 .35rem; font-size: .875rem; font-weight: 600; letter-spacing: .02em }
header p { max-width: 44rem; margin: 0 0 .5rem; color: var(--soft) }
section { margin: 4rem 0 0 }
.note, figcaption { color: var(--soft); font-size: .875rem; max-width: 46rem }
.gain { color: var(--gain) }
.loss { color: var(--loss) }
code, pre { font: .875rem/1.5 ui-monospace, monospace }

.verdict { margin: 2.5rem 0 0; padding: .25rem 0 .25rem 1.5rem; border-left: 4px solid var(--soft) }
.verdict .headline { font-size: 1.75rem; margin: 0 0 .4rem }
.verdict p { margin: 0; max-width: 46rem }
.verdict.better { border-color: var(--gain) }
.verdict.better .headline { color: var(--gain) }
.verdict.worse { border-color: var(--loss) }
.verdict.worse .headline { color: var(--loss) }

table { border-collapse: collapse; width: 100% }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding: 0 0 .5rem }
th { font-weight: 400; text-align: left }
thead th { color: var(--soft); font-size: .875rem; vertical-align: bottom }
th, td { padding: .55rem 1.5rem .55rem 0; border-bottom: 1px solid var(--line); vertical-align: baseline }
th:last-child, td:last-child { padding-right: 0 }
.scroll { overflow-x: auto }
.measures { margin: 0 0 1.5rem }
.measures td, .measures thead th + th { text-align: right; white-space: nowrap }
.measures tbody th { font-weight: 600; white-space: nowrap }
.measures .mark { display: inline-block; width: 1.1em; text-align: left }
.measures .bar { width: 9rem; height: 8px; vertical-align: 1px }
.measures td.share-bar { padding-right: .75rem }
.facts { table-layout: fixed }
.facts th { width: 9rem; color: var(--soft) }
.facts td:last-child { width: 18rem; text-align: right; color: var(--soft) }

figure { margin: 0; min-width: 0 }
figure svg { display: block; max-width: 100%; height: auto }
figure .small, figure .middle:not(.large) { display: none }
figcaption { margin-top: .5rem }
.figures { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 3.5rem 2.25rem }

.controls { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; margin: 2rem 0 .75rem }
.filters { display: flex; flex-wrap: wrap; gap: .25rem }
input, button { font: inherit; color: inherit }
input[type=search] { flex: 1 1 14rem; max-width: 24rem; padding: .4rem .7rem; background: var(--ground); border: 1px solid var(--line); border-radius: 6px }
button { background: none; border: 1px solid transparent; border-radius: 6px; padding: .4rem .7rem; cursor: pointer }
.filters button { color: var(--soft) }
.filters button[aria-pressed=true] { color: var(--ink); border-color: var(--line); background: var(--raised) }
:focus-visible { outline: 2px solid var(--gain); outline-offset: 2px }
#query-table > button { border-color: var(--line) }

.queries { table-layout: fixed }
.queries th, .queries td { padding: 0 1rem 0 0 }
.queries th:last-child, .queries td:last-child { padding-right: 0 }
.queries thead th { width: 5.5rem; text-align: right }
.queries thead th.query { width: auto; text-align: left }
.queries thead th.gain { width: 17rem; color: var(--soft) }
.queries thead button { padding: .5rem 0; color: var(--soft) }
.queries th[aria-sort=ascending] button, .queries th[aria-sort=descending] button { color: var(--ink); font-weight: 600 }
.queries th[aria-sort=ascending] button::after { content: " ↑" }
.queries th[aria-sort=descending] button::after { content: " ↓" }
.queries td { text-align: right; vertical-align: middle }
.queries td.query { text-align: left }
.queries td.none { color: var(--soft) }
.queries td.query button { display: flex; gap: .6rem; align-items: baseline; width: 100%; padding: .5rem 0; text-align: left }
.queries td.query button::before { content: "▸"; color: var(--soft); flex: none; width: .8em }
.queries td.query button[aria-expanded=true]::before { content: "▾" }
.queries .query .text { flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.id { color: var(--soft); font-size: .8125rem }
.queries .query .id { flex: none; max-width: 10rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.track { display: inline-block; position: relative; width: 9rem; height: 8px; margin-right: 1rem; }
.track::before { content: ""; position: absolute; left: 50%; top: -3px; bottom: -3px; border-left: 1px solid var(--line) }
.figure { display: inline-block; width: 4.2rem }
.amount { position: absolute; top: 0; height: 8px }
.amount.gain { left: 50%; background: var(--gain) }
.amount.loss { right: 50%; background: var(--loss) }

.queries .detail td { text-align: left; padding: .25rem 0 1.75rem 1.4rem }
.detail p { margin: .25rem 0 .75rem }
.detail .full { max-width: 46rem }
.rankings { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.5rem 2.25rem }
ol { list-style: none; margin: 0; padding: 0 }
li { display: grid; grid-template-columns: 1.5rem 1rem minmax(0, 1fr) 3rem; align-items: baseline; padding: .4rem .5rem; border-top: 1px solid var(--line); font-size: .875rem; line-height: 1.4 }
.rank { color: var(--soft) }
.document { display: block }
.document .title, .document .text, .document .id { display: block }
.document .title { font-weight: 600 }
.document .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden }
li.relevant { background: var(--raised) }
.move { text-align: right; white-space: nowrap; color: var(--soft) }
.move.gain { color: var(--gain) }
.move.loss { color: var(--loss) }
.key { white-space: nowrap; margin-left: .75rem }
.dot { display: inline-block; width: .55rem; height: .55rem; border-radius: 50% }
.dot.relevant { background: var(--gain) }
.dot.other { border: 1.5px solid var(--soft) }

dl { margin: 0; columns: 20rem 3; column-gap: 2.25rem }
dl div { display: flex; gap: 1rem; justify-content: space-between; padding: .4rem 0; border-bottom: 1px solid var(--line); break-inside: avoid }
dt { color: var(--soft) }
dd { margin: 0; text-align: right }
pre { margin: 0 0 .75rem; padding: .9rem 1.1rem; background: var(--raised); border-radius: 6px; white-space: pre-wrap }

@media screen and (max-width: 1000px) {
  .figures { grid-template-columns: minmax(0, 1fr) }
  figure .large:not(.middle) { display: none }
  figure .middle:not(.large) { display: block }
  .measures .minor { display: none }
  .measures .bar { width: 5rem }
  .queries thead th.gain { width: 9rem }
  .track { display: none }
}
@media screen and (max-width: 640px) {
  main { padding: 28px 20px 64px }
  h1 { font-size: 1.75rem }
  section { margin-top: 3rem }
  .verdict { padding-left: 1rem }
  .verdict .headline { font-size: 1.4rem }
  figure .small { display: block }
  figure .middle, figure .middle:not(.large) { display: none }
  .measures .shares { display: none }
  .measures th, .measures td { padding-right: .5rem; font-size: .8125rem }
  .measures th:last-child, .measures td:last-child { padding-right: 0 }
  .facts tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line) }
  .facts th, .facts td { display: block; width: auto; padding: 0; border: 0 }
  .facts td:last-child { width: auto; text-align: left }
  .queries th, .queries td { padding-right: .5rem; font-size: .875rem }
  .queries th:last-child, .queries td:last-child { padding-right: 0 }
  .queries thead th { width: 3.6rem }
  .queries thead th.gain { width: 4.6rem }
  .queries .query .text { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2 }
  .queries .query .id { display: none }
  .queries .detail td { padding-left: 0 }
  .document .text { -webkit-line-clamp: 1 }
  .rankings { grid-template-columns: minmax(0, 1fr) }
}
@media print {
  body { font-size: 10pt; background: none }
  main { padding: 0; max-width: none }
  section { margin-top: 2rem }
  .controls, #query-table > button, .queries td.query button::before { display: none }
  .figures { gap: 1.5rem }
  .figures .small, figure .middle:not(.large) { display: block }
  .figures .middle, figure .large:not(.middle) { display: none }
  th, td { padding-right: .75rem }
  .measures .bar { width: 4rem }
  .queries thead th { width: 4rem }
  .queries thead th.gain { width: 12rem }
  .track { width: 5rem }
  figure, li, tr, pre, .verdict { break-inside: avoid }
  h2, h3, h4 { break-after: avoid }
  .bar, .track, .amount, .dot { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`
