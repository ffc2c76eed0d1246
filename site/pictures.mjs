/**
 * Draws the pictures of docs/idea.md: `node site/pictures.mjs`. The points are made up; neighbors,
 * similarities, rankings and labels are what @kith/core says about them.
 */
import { writeFileSync } from 'node:fs'
import { explain, neighbors, similarity, smoothLabels, termSpans } from '@kith/core'
import { bad, box, dot, good, gray, ink, line, picture, square, text } from './drawing.mjs'

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
const found = neighbors(query, documents, settings)
const sets = [found.query, ...found.candidates]
const rank = sets.map(({ nearest }) => nearest.map(pointOf))
const reciprocal = sets.map((set) => set.reciprocal.map(pointOf))
const [similar] = similarity(query, documents, ['query'], settings)
const geometric = [pointsOf(similar.geometric)]
const jaccard = [pointsOf(similar.jaccard)]
const mixed = [pointsOf(similar.mixed)]
const rows = points.map((_, row) => row)
const candidates = rows.slice(1)
const color = (row) => (row === 0 ? ink : points[row].lone ? bad : good)
const node = (row, x, y) =>
  row === 0 ? square(x, y, names[row]) : dot(x, y, color(row), names[row])

const queryText = 'wing flutter at high speed'
const texts = [
  'high speed trains',
  'flutter of thin wings',
  'wing flutter in wind tunnels',
  'high speed lines',
  'thin tails in wind tunnels',
  'speed of freight trains',
  'speed limits',
]
/** With the texts: what each candidate's score is made of. */
const reasons = documents.map((_, i) =>
  explain({ vector: query, text: queryText }, { vectors: documents, texts }, i, {
    k: 3,
    kExp: 1,
    supportDocs: 3,
  }),
)
/** The colors of the studio's bars. */
const partColors = {
  similarity: '#a07b22',
  words: '#2c6fbb',
  neighbors: '#7553a3',
  support: '#c04a7d',
}

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

/** The nearest neighbors, one way and both ways. */
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
    'Points joined to their nearest neighbors: A is near the query, but only one way.',
    parts,
  )
}

/** The reciprocal sets as rows of squares, and how far each overlaps the query's. */
function overlapPicture() {
  const shown = [0, 2, 3, 5, 1, 4]
  const at = (column) => 160 + column * 46
  const parts = [
    text(16, 36, 'neighbors of'),
    ...rows.map((row) => text(at(row), 36, names[row], 'middle')),
    text(600, 36, 'overlap with Q', 'middle'),
    ...shown.flatMap((row, i) => {
      const y = 62 + i * 34
      const overlap = jaccard[0][row]
      return [
        node(row, 112, y),
        ...rows.map((other) => {
          const shared = reciprocal[0].includes(other)
          const own = reciprocal[row].includes(other)
          return box(at(other) - 13, y - 13, 26, 26, own ? (shared ? ink : gray) : '#fff')
        }),
        box(540, y - 8, Math.max(1, overlap * 110), 16, color(row)),
        text(546 + overlap * 110, y + 5, overlap.toFixed(2)),
      ]
    }),
  ]
  return picture(
    720,
    262,
    'Reciprocal neighbors of each document, and their overlap with the query’s.',
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
    { title: 'similarity', value: standard(geometric[0]) },
    { title: 'neighbor score', value: standard(jaccard[0]) },
    { title: 'the mix', value: (row) => mixed[0][row] },
  ]
  const parts = columns.flatMap(({ title, value }, c) => {
    const middle = 150 + c * 220
    const order = [...candidates].sort((a, b) => value(b) - value(a))
    return [
      text(middle - 10, 34, title, 'middle'),
      `<line x1="${middle}" y1="50" x2="${middle}" y2="276" stroke="${gray}"/>`,
      ...order.flatMap((row, i) => {
        const width = Math.abs(value(row)) * 44
        const y = 66 + i * 32
        return [
          box(value(row) < 0 ? middle - width : middle, y - 8, width, 16, color(row)),
          dot(middle - 96, y, color(row), names[row]),
        ]
      }),
    ]
  })
  return picture(
    720,
    290,
    'Candidates by similarity, by shared neighbors, and by the mix of both.',
    parts,
  )
}

/** The query's words in each text, larger where they are rarer, and the BM25 score. */
function wordsPicture() {
  const terms = termSpans(queryText)
  const at = (column) => 330 + column * 64
  const most = Math.max(...reasons.map(({ words }) => words))
  const parts = [
    ...terms.map(({ start, end }, column) =>
      text(at(column), 36, queryText.slice(start, end), 'middle'),
    ),
    text(572, 36, 'BM25 score'),
    ...candidates.flatMap((row, i) => {
      const y = 66 + i * 34
      const { words, matched } = reasons[row - 1]
      return [
        dot(34, y, color(row), names[row]),
        text(58, y + 5, texts[row - 1]),
        ...terms.map(({ term }, column) => {
          const weight = matched.find((one) => one.term === term)?.weight ?? 0
          const size = weight === 0 ? 4 : 8 * weight
          const shade = weight === 0 ? gray : partColors.words
          return box(at(column) - size / 2, y - size / 2, size, size, shade)
        }),
        box(572, y - 8, Math.max(1, (words / most) * 90), 16, partColors.words),
        text(580 + (words / most) * 90, y + 5, words.toFixed(1)),
      ]
    }),
  ]
  return picture(
    720,
    296,
    'Which of the query’s words each text has, and the score that they give.',
    parts,
  )
}

/** The best candidates so far, and how similar the others are to them. */
function supportPicture() {
  const best = new Set(
    reasons.flatMap(({ supporters }) => supporters.map((one) => one.candidate + 1)),
  )
  const near = (row) => reasons[row - 1].parts.support
  const [low, high] = [Math.min, Math.max].map((pick) => pick(...candidates.map(near)))
  const left = ({ x, y }) => [200 + x * 950, 135 - y * 1000]
  const ring = (row) => {
    const [x, y] = left(points[row])
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="17" fill="none" stroke="${partColors.support}" stroke-width="3"/>`
  }
  const helped = 5
  const zero = 560
  const width = 110 / Math.max(high, -low)
  const order = [...candidates].sort((a, b) => near(b) - near(a))
  const parts = [
    text(20, 26, 'Ringed: the top three by similarity and BM25'),
    ...[...best].map((row) => line(left(points[row]), left(points[helped]), true)),
    ...rows.map((row) => node(row, ...left(points[row]))),
    ...[...best].map(ring),
    text(zero, 26, 'support by the ringed', 'middle'),
    `<line x1="${zero}" y1="40" x2="${zero}" y2="262" stroke="${gray}"/>`,
    ...order.flatMap((row, i) => {
      const y = 56 + i * 32
      const length = Math.abs(near(row)) * width
      return [
        dot(zero - 140, y, color(row), names[row]),
        box(near(row) < 0 ? zero - length : zero, y - 8, length, 16, partColors.support),
      ]
    }),
  ]
  return picture(
    720,
    276,
    'Three candidates are ringed; bars tell how similar each candidate is to them.',
    parts,
  )
}

/** The whole score of each candidate, as the studio draws it. */
function scorePicture() {
  const kinds = Object.keys(partColors)
  const order = [...candidates].sort((a, b) => reasons[b - 1].score - reasons[a - 1].score)
  const zero = 300
  const legend = kinds.flatMap((kind, i) => [
    box(60 + i * 150, 20, 18, 14, partColors[kind]),
    text(86 + i * 150, 33, kind === 'words' ? 'BM25' : kind),
  ])
  const parts = [
    ...legend,
    `<line x1="${zero}" y1="50" x2="${zero}" y2="276" stroke="${gray}"/>`,
    ...order.flatMap((row, i) => {
      const y = 66 + i * 32
      const ends = { low: zero, high: zero }
      const bars = kinds.map((kind) => {
        const value = reasons[row - 1].parts[kind] * 130
        if (value < 0) ends.low += value
        else ends.high += value
        const start = value < 0 ? ends.low : ends.high - value
        return box(start, y - 8, Math.abs(value), 16, partColors[kind])
      })
      return [dot(34, y, color(row), names[row]), ...bars]
    }),
  ]
  return picture(720, 290, 'The scores of the candidates, each a bar of four parts.', parts)
}

/** The label of a training query, before and after. */
function labelPicture() {
  const judged = 2
  const targets = [
    ['one-hot', 'the judged document'],
    ['uniform', 'a share for all'],
    ['mixed', 'a share for similar ones'],
  ]
  const parts = targets.flatMap(([target, note], t) => {
    const left = 30 + t * 230
    const own = { ...settings, labelDepth: 4, mix: 'standard', target, boost: 1.5 }
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
  words: wordsPicture,
  support: supportPicture,
  score: scorePicture,
  labels: labelPicture,
})) {
  writeFileSync(new URL(`../docs/idea-${name}.svg`, import.meta.url), draw())
}
