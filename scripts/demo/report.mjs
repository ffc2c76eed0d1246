/** The demo's report: one HTML file that needs nothing else. */
export function renderReport({ title, note, table, perQuery, example }) {
  const widest = Math.max(...perQuery.map(({ gain }) => Math.abs(gain)), 0.01)
  const bars = perQuery
    .map(({ id, text, gain }, i) => {
      const height = (Math.abs(gain) / widest) * 80
      const y = gain >= 0 ? 90 - height : 90
      const kind = gain >= 0 ? 'up' : 'down'
      return `<rect class="${kind}" x="${i * 14}" y="${y.toFixed(1)}" width="10" height="${Math.max(height, 1).toFixed(1)}"><title>${escapeHtml(id)} “${escapeHtml(text)}”: ${gain >= 0 ? '+' : ''}${gain.toFixed(3)}</title></rect>`
    })
    .join('')
  const list = (items) =>
    items
      .map(
        ({ text, relevant }) =>
          `<li class="${relevant ? 'relevant' : ''}">${escapeHtml(text)}</li>`,
      )
      .join('')
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
:root{color-scheme:light dark;--ink:#1f2933;--paper:#fff;--soft:#f1f4f7;--up:#0f7f5f;--down:#c2542d}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9ee;--paper:#14191f;--soft:#202830;--up:#3fbf97;--down:#e5855e}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--soft)}td:first-child,th:first-child{text-align:left}
.lists{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem}ol{background:var(--soft);border-radius:.6rem;padding:1rem;margin:0}
li{list-style-position:inside;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.relevant{color:var(--up);font-weight:600}
svg{width:100%;height:auto}.up{fill:var(--up)}.down{fill:var(--down)}
</style>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(note)}</p>
<table>${table.map((row, r) => `<tr>${row.map((cell) => (r === 0 ? `<th>${escapeHtml(cell)}</th>` : `<td>${escapeHtml(cell)}</td>`)).join('')}</tr>`).join('')}</table>
<h2>What each query gained or lost</h2>
<p>nDCG@10 with both views less nDCG@10 before, largest gain first.</p>
<svg viewBox="0 0 ${perQuery.length * 14} 180" role="img" aria-label="gain per query">${bars}</svg>
<h2>The query that gained most: “${escapeHtml(example.text)}”</h2>
<p>Relevant documents are green.</p>
<div class="lists"><section><h3>Before</h3><ol>${list(example.before)}</ol></section><section><h3>After</h3><ol>${list(example.after)}</ol></section></div>
</html>
`
}

function escapeHtml(text) {
  return String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
