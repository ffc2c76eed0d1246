/**
 * Draws the picture of docs/scores.md: `node site/scores-picture.mjs`. Passages and questions are those
 * of examples/rag-cutoff.mjs; all numbers are computed by @kith/core from embeddings of MiniLM.
 */
import { writeFileSync } from 'node:fs'
import { background, shortlist, termStatistics } from '@kith/core'
import { loadEncoder } from '@kith/encoder'
import { passages, question } from '../examples/data/passages.mjs'
import { bad, box, good, gray, ink, picture, text } from './drawing.mjs'

const SHOWN = 10
/** Letters of a passage that fit beside its bar. */
const LONGEST = 48
const WIDTH = 720
const ROW = 30
const bars = { left: 490, width: 160 }
/** Room below the line of the cutoff. */
const GAP = 36

const encoder = await loadEncoder('minilm')
const { data, dimensions } = await encoder.encode(passages)
const vectors = passages.map((_, i) => data.subarray(i * dimensions, (i + 1) * dimensions))
const settings = { background: background(vectors), statistics: termStatistics(passages) }

async function listOf(asked) {
  const { data: vector } = await encoder.encode([asked], { role: 'query' })
  const near = (i) => vectors[i].reduce((sum, value, j) => sum + value * vector[j], 0)
  const found = [...passages.keys()].sort((a, b) => near(b) - near(a))
  const candidates = {
    vectors: found.map((i) => vectors[i]),
    texts: found.map((i) => passages[i]),
  }
  const list = (more) => shortlist({ vector, text: asked }, candidates, { ...settings, ...more })
  const { hits, onTopic } = list({ cutoff: SHOWN })
  const kept = list({ cutoff: 'auto', onTopic: 0.5 }).hits.length
  return {
    onTopic,
    kept,
    hits: hits.map(({ index, relevance }) => ({ passage: passages[found[index]], relevance })),
  }
}

/** A question, and the gauge of whether it is on topic. */
function asked(y, words, onTopic) {
  return [
    text(20, y, words),
    text(bars.left - 12, y, 'on topic', 'end'),
    box(bars.left, y - 13, bars.width, 16, '#e1e6eb'),
    onTopic < 0.005 ? '' : box(bars.left, y - 13, onTopic * bars.width, 16, ink),
    text(bars.left + bars.width + 10, y, onTopic.toFixed(2)),
  ]
}

function hitRow({ passage, relevance }, i, y, kept) {
  // Cut behind a word.
  const words =
    passage.length > LONGEST ? passage.slice(0, LONGEST).replace(/[ ,;]*[^ ]*$/, ' …') : passage
  const width = relevance * bars.width
  const row = [
    text(42, y, String(i + 1), 'end'),
    text(56, y, words),
    box(bars.left, y - 13, width, 16, kept ? good : gray),
    text(bars.left + width + 10, y, relevance.toFixed(2)),
  ]
  return kept ? row : [`<g opacity="0.65">${row.join('')}</g>`]
}

const first = await listOf(question)
const offTopic = 'How do I file my tax return?'
const second = await listOf(offTopic)
await encoder.close()

const top = 106
const cut = top + first.kept * ROW - 8
const bottom = top + SHOWN * ROW + GAP + 32
const rule = (y, look) => `<line x1="20" y1="${y}" x2="${WIDTH - 20}" y2="${y}" ${look}/>`
const parts = [
  ...asked(36, question, first.onTopic),
  text(56, 72, 'hits in Kith’s order'),
  text(bars.left, 72, 'estimated relevance'),
  ...first.hits.flatMap((hit, i) => {
    const kept = i < first.kept
    return hitRow(hit, i, top + i * ROW + (kept ? 0 : GAP), kept)
  }),
  rule(cut, `stroke="${bad}" stroke-width="2" stroke-dasharray="6 4"`),
  text(WIDTH - 20, cut + 21, `cutoff: ${first.kept} hits kept`, 'end'),
  rule(bottom - 34, `stroke="${gray}"`),
  ...asked(bottom, offTopic, second.onTopic),
  text(56, bottom + 28, second.kept === 0 ? 'no hit kept' : `${second.kept} hits kept`),
]
const label =
  'Ten hits with bars of estimated relevance; the cutoff keeps the first hits, and none of a question off topic.'
writeFileSync(
  new URL('../docs/scores.svg', import.meta.url),
  picture(WIDTH, bottom + 48, label, parts.filter(Boolean)),
)
