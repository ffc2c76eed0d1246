/**
 * Draws the README's picture: a query and its candidates as points on a plane,
 * their reciprocal neighbors joined, and the ranking before and after. The
 * points are made up; the neighbors and both rankings are what @kith/core says.
 */
import { writeFileSync } from 'node:fs'
import { neighbors, rerank } from '@kith/core'

const points = [
  { x: 0, y: 0 },
  { x: -0.12, y: 0.14, lone: true },
  { x: 0.15, y: 0.13 },
  { x: -0.07, y: -0.19, lone: true },
  { x: 0.2, y: 0.02 },
  { x: 0.24, y: 0.12 },
  { x: 0.22, y: 0.22 },
  { x: 0.31, y: 0.05 },
  { x: 0.32, y: 0.17 },
  { x: -0.22, y: 0.31, lone: true },
  { x: -0.33, y: 0.24, lone: true },
  { x: -0.19, y: -0.35, lone: true },
  { x: -0.02, y: -0.4, lone: true },
]
/** On a sphere the cosine falls with the distance on the page. */
const vectors = points.map(({ x, y }) => [x, y, Math.sqrt(1 - x * x - y * y)])
const [query, ...candidates] = vectors
const before = candidates
  .map((vector, i) => ({ i, cosine: vector.reduce((sum, v, j) => sum + v * query[j], 0) }))
  .sort((a, b) => b.cosine - a.cosine)
  .map(({ i }) => i)
const settings = { k: 6, kExp: 1, lambda: 0.3 }
const found = before.map((i) => candidates[i])
const after = [...rerank(query, found, settings).order].map((place) => before[place])
const sets = neighbors(query, found, settings)
/** The point of the query or of a candidate. */
const pointOf = (member) => points[member === 'query' ? 0 : before[member] + 1]
/** The query comes before the candidates. */
const placeOf = (member) => (member === 'query' ? -1 : member)

const ink = '#3d4b5c'
const good = '#0f7f5f'
const bad = '#c2542d'
const color = (i) => (points[i + 1].lone ? bad : good)
const name = (i) => String.fromCharCode(65 + before.indexOf(i))
const place = ({ x, y }) => [270 + x * 430, 200 - y * 430]

const parts = []
const members = [['query', sets.query], ...sets.candidates.entries()]
members.forEach(([i, { nearest, reciprocal }]) => {
  for (const j of nearest) {
    const mutual = reciprocal.includes(j)
    if (j === i || (mutual && placeOf(j) < placeOf(i))) continue
    const [x1, y1] = place(pointOf(i))
    const [x2, y2] = place(pointOf(j))
    const look = mutual
      ? `stroke="${ink}" stroke-width="2"`
      : `stroke="#b8c2cc" stroke-dasharray="3 4"`
    parts.push(
      `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" ${look}/>`,
    )
  }
})
candidates.forEach((_, i) => {
  const [x, y] = place(points[i + 1])
  parts.push(`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="13" fill="${color(i)}"/>`)
  parts.push(`<text x="${x.toFixed(1)}" y="${(y + 5).toFixed(1)}" class="letter">${name(i)}</text>`)
})
const [qx, qy] = place(points[0])
parts.push(`<rect x="${qx - 14}" y="${qy - 14}" width="28" height="28" rx="6" fill="${ink}"/>`)
parts.push(`<text x="${qx}" y="${qy + 5}" class="letter">Q</text>`)

const line = (position) => 72 + position * 25
parts.push(
  '<text x="600" y="44" class="head">vector search</text><text x="780" y="44" class="head">Kith</text>',
)
before.forEach((i, position) => {
  const y = line(position)
  const target = line(after.indexOf(i))
  parts.push(
    `<path d="M622 ${y} C690 ${y} 690 ${target} 758 ${target}" fill="none" stroke="${color(i)}" stroke-width="2" opacity="0.7"/>`,
  )
  for (const [x, at] of [
    [600, y],
    [780, target],
  ]) {
    parts.push(
      `<circle cx="${x}" cy="${at}" r="11" fill="${color(i)}"/><text x="${x}" y="${at + 5}" class="letter">${name(i)}</text>`,
    )
  }
})

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 420" font-family="system-ui, sans-serif" role="img" aria-label="A query and its hits as points: hits that share the query's neighbors move up; hits that are close to the query but have other neighbors move down.">
<style>.letter{fill:#fff;font-size:14px;font-weight:600;text-anchor:middle}.head{fill:${ink};font-size:15px;font-weight:600;text-anchor:middle}.note{fill:${ink};font-size:14px}@media(max-width:480px){.letter{font-size:17px}.head{font-size:24px}.note{display:none}}</style>
<rect width="860" height="420" rx="12" fill="#f6f8fa"/>
${parts.join('\n')}
<text x="24" y="36" class="note">Solid lines join mutual nearest neighbors; dashed lines go one way.</text>
<text x="24" y="404" class="note">Green hits share the query's neighbors. Orange hits are close to the query but have other neighbors.</text>
</svg>
`
const target = new URL('../docs/picture.svg', import.meta.url)
writeFileSync(target, svg)
console.log(`wrote docs/picture.svg: ${before.map(name).join('')} → ${after.map(name).join('')}`)
