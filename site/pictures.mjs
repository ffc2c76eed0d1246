/**
 * Draws the pictures of docs/idea.md: `node site/pictures.mjs`. The points are made up; neighbours,
 * similarities, rankings and labels are what @kith/core says about them.
 */
import { writeFileSync } from 'node:fs'
import { neighbours, similarity, smoothLabels } from '@kith/core'
import { bad, box, dot, good, grey, ink, line, picture, square, text } from './drawing.mjs'

const points = [
  { x: 0, y: 0 },
  { x: -0.085, y: 0.03, lone: true },
  { x: 0.1, y: 0.05 },
  { x: 0.12, y: -0.05 },
  { x: -0.155, y: -0.01, lone: true },
  { x: 0.17, y: 0 },
  { x: -0.17, y: 0.025, lone: true },
  { x: -0.165, y: 0.06, lone: true },
]
const names = ['Q', ...'ABCDEFG']
const settings = { k: 3, kExp: 1, lambda: 0.5 }
/** On a sphere the cosine falls with the distance on the page. */
const vectors = points.map(({ x, y }) => [x, y, Math.sqrt(1 - x * x - y * y)])
const [query, ...documents] = vectors
/** In the pictures the query is point 0 and candidate i point i + 1. */
const pointOf = (member) => (member === 'query' ? 0 : member + 1)
const pointsOf = ({ toQuery, toCandidates }) => [toQuery, ...toCandidates]
const found = neighbours(query, documents, settings)
const sets = [found.query, ...found.candidates]
const rank = sets.map(({ nearest }) => nearest.map(pointOf))
const reciprocal = sets.map((set) => set.reciprocal.map(pointOf))
const [similar] = similarity(query, documents, ['query'], settings)
const geometric = [pointsOf(similar.geometric)]
const jaccard = [pointsOf(similar.jaccard)]
const mixed = [pointsOf(similar.mixed)]
const rows = points.map((_, row) => row)
const candidates = rows.slice(1)
const colour = (row) => (row === 0 ? ink : points[row].lone ? bad : good)
const node = (row, x, y) =>
  row === 0 ? square(x, y, names[row]) : dot(x, y, colour(row), names[row])

/** The nearest documents of a store are the context. */
function contextPicture() {
  let seed = 7
  const random = () => {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
  }
  const store = Array.from({ length: 90 }, () => ({
    x: 20 + random() * 680,
    y: 40 + random() * 180,
  }))
  const query = { x: 300, y: 128 }
  const distance = ({ x, y }) => Math.hypot(x - query.x, y - query.y)
  const near = store.filter((one) => distance(one) > 20).sort((a, b) => distance(a) - distance(b))
  const radius = (distance(near[13]) + distance(near[14])) / 2
  const parts = [
    `<circle cx="${query.x}" cy="${query.y}" r="${radius.toFixed(1)}" fill="#fff" stroke="${ink}" stroke-dasharray="5 4"/>`,
    ...near.map(({ x, y }, i) => dot(x, y, i < 14 ? good : '#c9d1d9', '', i < 14 ? 7 : 5)),
    square(query.x, query.y, 'Q'),
    text(20, 26, 'Your store: thousands or millions of documents'),
  ]
  return picture(
    720,
    236,
    'A store of documents; the nearest ones around a query are its context.',
    parts,
  )
}

const placed = ({ x, y }) => [370 + x * 1500, 130 - y * 1100]

/** Who is whose nearest neighbour, one way and both ways. */
function reciprocalPicture() {
  const lines = rows.flatMap((i) =>
    [...rank[i]].flatMap((j) => {
      const mutual = reciprocal[i].includes(j)
      if (i === j || (mutual && j < i)) return []
      return [line(placed(points[i]), placed(points[j]), mutual)]
    }),
  )
  const parts = [
    ...lines,
    ...rows.map((row) => node(row, ...placed(points[row]))),
    text(20, 26, 'Solid: each is among the other’s 3 nearest. Dashed: one way only.'),
  ]
  return picture(
    720,
    236,
    'Points joined to their nearest neighbours: A is near the query, but only one way.',
    parts,
  )
}

/** The reciprocal sets as rows of squares, and how far each overlaps the query's. */
function overlapPicture() {
  const shown = [0, 2, 3, 5, 1, 4]
  const at = (column) => 160 + column * 46
  const parts = [
    ...rows.map((row) => text(at(row), 36, names[row], 'middle')),
    text(600, 36, 'overlap with Q', 'middle'),
    ...shown.flatMap((row, i) => {
      const y = 62 + i * 34
      const overlap = jaccard[0][row]
      return [
        text(16, y + 5, 'friends of'),
        node(row, 112, y),
        ...rows.map((other) => {
          const shared = reciprocal[0].includes(other)
          const own = reciprocal[row].includes(other)
          return box(at(other) - 13, y - 13, 26, 26, own ? (shared ? ink : grey) : '#fff')
        }),
        box(540, y - 8, Math.max(1, overlap * 110), 16, colour(row)),
        text(546 + overlap * 110, y + 5, overlap.toFixed(2)),
      ]
    }),
  ]
  return picture(
    720,
    262,
    'Reciprocal neighbours of each document, and their overlap with the query’s.',
    parts,
  )
}

/** Both similarities as bars around their mean, and the mix of them. */
function mixPicture() {
  const standard = (values) => {
    const own = candidates.map((row) => values[row])
    const mean = own.reduce((sum, v) => sum + v, 0) / own.length
    const deviation = Math.sqrt(own.reduce((sum, v) => sum + (v - mean) ** 2, 0) / own.length)
    return (row) => (values[row] - mean) / deviation
  }
  const columns = [
    { title: 'near the query', value: standard(geometric[0]) },
    { title: 'same neighbours', value: standard(jaccard[0]) },
    { title: 'the mix', value: (row) => mixed[0][row] },
  ]
  const parts = columns.flatMap(({ title, value }, c) => {
    const middle = 150 + c * 220
    const order = [...candidates].sort((a, b) => value(b) - value(a))
    return [
      text(middle - 10, 34, title, 'middle'),
      `<line x1="${middle}" y1="50" x2="${middle}" y2="276" stroke="${grey}"/>`,
      ...order.flatMap((row, i) => {
        const width = Math.abs(value(row)) * 44
        const y = 66 + i * 32
        return [
          box(value(row) < 0 ? middle - width : middle, y - 8, width, 16, colour(row)),
          dot(middle - 96, y, colour(row), names[row]),
        ]
      }),
    ]
  })
  return picture(
    720,
    290,
    'Candidates by similarity, by shared neighbours, and by the mix of both.',
    parts,
  )
}

/** What a training query's label becomes. */
function labelPicture() {
  const judged = 2
  const targets = [
    ['one-hot', 'the judgement as it is'],
    ['uniform', 'a part for everybody'],
    ['mixed', 'a part for those like it'],
  ]
  const parts = targets.flatMap(([target, note], t) => {
    const left = 30 + t * 230
    const own = { ...settings, maxLabelled: 4, mix: 'standard', target, boost: 1.5 }
    const { kept, target: labels } = smoothLabels(
      query,
      documents,
      { candidates: [judged - 1] },
      own,
    )
    return [
      text(left, 32, target),
      text(left, 52, note),
      ...candidates.flatMap((row, i) => {
        const label = labels[kept.indexOf(row - 1)] ?? 0
        const x = left + i * 27
        const height = label * 130
        return [
          box(x, 200 - height, 20, Math.max(height, 1), row === judged ? good : ink),
          text(x + 10, 220, names[row], 'middle'),
        ]
      }),
    ]
  })
  return picture(720, 236, 'Label distributions: one-hot, uniform, and by evidence.', parts)
}

for (const [name, draw] of Object.entries({
  context: contextPicture,
  reciprocal: reciprocalPicture,
  overlap: overlapPicture,
  mix: mixPicture,
  labels: labelPicture,
})) {
  writeFileSync(new URL(`../docs/idea-${name}.svg`, import.meta.url), draw())
}
