import { readTexts, TextStore, writeWhole } from '@kith/ir'

/** What each query gained by reranking with both views, largest gain first. */
export async function gainsOf(before, after, queriesFile) {
  const texts = new Map()
  for await (const { id, text } of readTexts(queriesFile)) texts.set(id, text)
  const [old, now] = [before, after].map(({ perQuery }) => perQuery['nDCG@10'])
  return before.queries
    .map((id, q) => ({ id, text: texts.get(id), gain: now[q] - old[q] }))
    .sort((a, b) => b.gain - a.gain)
}

/** A query's first ten documents before and after. */
export async function exampleOf({ id, text, gain }, runs, qrels, corpusFile) {
  const corpus = await TextStore.open(corpusFile)
  const list = (run) =>
    run
      .get(id)
      .ids.slice(0, 10)
      .map((document) => ({
        text: corpus.get(document).text,
        relevant: (qrels.get(id).get(document) ?? 0) > 0,
      }))
  const example = { text, gain, before: list(runs[0]), after: list(runs.at(-1)) }
  corpus.close()
  return example
}

/** The demo's report: one HTML file that needs nothing else. */
export async function writeReport(file, data) {
  await writeWhole(file, (write) => write(render(data)))
}

function render({ quick, rows, known, gains, examples, auditPage }) {
  const command = quick ? 'npm run demo -- --quick' : 'npm run demo'
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kith demo: before and after</title>
<style>
:root{color-scheme:light dark;--ink:#1f2933;--paper:#fff;--soft:#f1f4f7;--up:#0f7f5f;--down:#c2542d}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9ee;--paper:#14191f;--soft:#202830;--up:#3fbf97;--down:#e5855e}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--soft)}td:first-child,th:first-child{text-align:left;white-space:pre}
.lists{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem}ol{background:var(--soft);border-radius:.6rem;padding:1rem;margin:0}
li{list-style-position:inside;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.relevant{color:var(--up);font-weight:600}
svg{width:100%;height:auto}.up{fill:var(--up)}.down{fill:var(--down)}code{background:var(--soft);padding:.1rem .3rem;border-radius:.3rem}
</style>
<h1>Kith demo: before and after</h1>
<p>Made by <code>${command}</code>: noun senses of WordNet as documents, categories as queries, embeddings by MiniLM.${quick ? ' A seeded part of the collection: figures are higher than on the whole.' : ''}</p>
${tableOf(rows, true)}
<h2>What each query gained or lost</h2>
<p>nDCG@10 reranked with embeddings and words less nDCG@10 of plain search, largest gain first.</p>
${bars(gains)}
${examples.map(exampleSection).join('\n')}
<h2>Where the hidden answer is known</h2>
<p>One relevant document per query was kept, all others were hidden; the complete labels say how many of them were found.</p>
${tableOf(known, false)}
<p>Judge missing labels yourself: <a href="${escapeHtml(encodeURI(`file://${auditPage}`))}">the audit's page</a>.</p>
</html>
`
}

function bars(gains) {
  const widest = Math.max(...gains.map(({ gain }) => Math.abs(gain)), 0.01)
  const width = 1000 / gains.length
  const rects = gains.map(({ id, text, gain }, i) => {
    const height = (Math.abs(gain) / widest) * 80
    const y = gain >= 0 ? 90 - height : 90
    return `<rect class="${gain >= 0 ? 'up' : 'down'}" x="${(i * width).toFixed(2)}" y="${y.toFixed(1)}" width="${(width * 0.8).toFixed(2)}" height="${Math.max(height, 0.5).toFixed(1)}"><title>${escapeHtml(id)} “${escapeHtml(text)}”: ${signed(gain)}</title></rect>`
  })
  return `<svg viewBox="0 0 1000 180" role="img" aria-label="gain per query">${rects.join('')}</svg>`
}

function exampleSection({ text, gain, before, after }) {
  const list = (items) =>
    items
      .map(
        ({ text, relevant }) =>
          `<li class="${relevant ? 'relevant' : ''}" title="${escapeHtml(text)}">${escapeHtml(text)}</li>`,
      )
      .join('')
  return `<h2>The query that ${gain >= 0 ? 'gained' : 'lost'} most: “${escapeHtml(text)}” (${signed(gain)})</h2>
<p>Relevant documents are green.</p>
<div class="lists"><section><h3>Before</h3><ol>${list(before)}</ol></section><section><h3>After</h3><ol>${list(after)}</ol></section></div>`
}

function tableOf(rows, headed) {
  const lines = rows.map((row, r) => {
    const tag = headed && r === 0 ? 'th' : 'td'
    return `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  })
  return `<table>${lines.join('')}</table>`
}

function signed(gain) {
  return `${gain >= 0 ? '+' : '−'}${Math.abs(gain).toFixed(3)}`
}

function escapeHtml(text) {
  return String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
