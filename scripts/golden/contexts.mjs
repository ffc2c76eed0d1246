/**
 * The contexts of the golden cases, row 0 the query. All but `decimals` have small whole numbers, or
 * fractions of 1,024, whose inner products float32 holds exactly: ties are ties in every kernel,
 * in any order of its sums.
 */
import { seededFraction } from '@kith/base/random'

const SEED = 16

/** Numbers from 0 to below 1 that the context's name decides. */
function draws(name) {
  let count = 0
  return () => seededFraction(SEED, `${name} ${count++}`)
}

function table(rows, dimensions, number) {
  return Array.from({ length: rows }, () => Array.from({ length: dimensions }, number))
}

/** Whole numbers from `from` to `to`. */
function whole(next, from, to) {
  return () => from + Math.floor(next() * (to - from + 1))
}

/** Rows around a few centers; the first column lifts all inner products to a hundred or so. */
function clusters() {
  const next = draws('clusters')
  const centers = table(3, 7, whole(next, -2, 2))
  const change = whole(next, -2, 2)
  return Array.from({ length: 25 }, (_, i) => [10, ...centers[i % 3].map((x) => x + change())])
}

/** Rows of which some are copies of others: similarities tie, and so do whole rows of S. */
function duplicates() {
  const next = draws('duplicates')
  const rows = table(6, 5, whole(next, 0, 5))
  return Array.from({ length: 15 }, (_, i) => rows[i < 6 ? i : Math.floor(next() * 6)])
}

function zeros(withQuery) {
  const rows = table(11, 4, whole(draws('zeros'), 0, 4))
  const empty = withQuery ? [0, 3, 7] : [3, 7, 8]
  return rows.map((row, i) => (empty.includes(i) ? row.map(() => 0) : row))
}

/** A query that points away from all of its candidates. */
function opposed() {
  const rows = table(12, 4, whole(draws('opposed'), 1, 6))
  return rows.map((row, i) => (i === 0 ? row.map((value) => -value) : row))
}

/** Vectors of about unit length with three decimals, as an encoder's are. */
function decimals() {
  const next = draws('decimals')
  const centers = table(4, 12, () => next() - 0.5)
  return Array.from({ length: 31 }, (_, i) => {
    const row = centers[i % 4].map((value) => value + 0.9 * (next() - 0.5))
    const length = Math.hypot(...row)
    return row.map((value) => Math.round((1000 * value) / length) / 1000)
  })
}

const subjects = [
  'bees find flowers by scent and color',
  'honey keeps for years in closed jars',
  'a hive has one queen and many workers',
  'wind turbines need steady wind',
]
const spare = ['often', 'in', 'spring', 'the', 'old', 'garden', 'near', 'water', 'and', 'stone']

/** Made-up texts: words of four subjects with others between them. */
function sentences(count) {
  const next = draws('sentences')
  return Array.from({ length: count }, (_, i) => {
    const words = subjects[i % 4].split(' ').filter(() => next() < 0.7)
    const others = Array.from({ length: 4 }, () => spare[Math.floor(next() * spare.length)])
    return [...words, ...others].join(' ')
  })
}

/** Texts that are hard to split into terms, one difficulty in each text. */
const scripts = [
  'Überall Ärger: naïve café, ΣΟΦΟΣ and İstanbul 2024',
  // The same letters with combining marks behind them, which belong to the letter before.
  'U\u0308berall A\u0308rger, nai\u0308ve cafe\u0301',
  'σοφός σοφος ΣΟΦΟΣ',
  'istanbul İSTANBUL 2024 2,024',
  '東京の天気',
  '明日の東京の天気予報 is fine',
  'หิมะตกในกรุงเทพ',
  'กรุงเทพ อากาศดี',
  'नमस्ते दुनिया',
  'दुनिया',
  '',
  '... — !',
  'CAFÉ café cafe',
]

/** The contexts by name, each with its purpose. */
export const contexts = {
  clusters: {
    about: 'Inner products around a hundred, all positive; three clusters.',
    vectors: clusters(),
  },
  signed: {
    about: 'Similarities of both signs: negative weights count as 0.',
    vectors: table(21, 6, whole(draws('signed'), -4, 4)),
  },
  ties: {
    about: 'Zeros and ones: most similarities tie, and the lower row comes first.',
    vectors: table(18, 5, whole(draws('ties'), 0, 1)),
  },
  duplicates: { about: 'Candidates that are copies of others.', vectors: duplicates() },
  same: {
    about: 'One vector everywhere: every term is constant, the order stays.',
    vectors: Array.from({ length: 8 }, () => [1, 2, 2]),
  },
  zeros: { about: 'Candidates of zero length.', vectors: zeros(false) },
  'zero-query': { about: 'A query of zero length, and candidates too.', vectors: zeros(true) },
  opposed: { about: 'A query unlike all of its candidates.', vectors: opposed() },
  alone: { about: 'N = 0: a query without candidates.', vectors: [[3, 1]] },
  one: {
    about: 'N = 1.',
    vectors: [
      [3, 1],
      [2, 2],
    ],
  },
  two: {
    about: 'N = 2.',
    vectors: [
      [3, 1],
      [1, 3],
      [2, 2],
    ],
  },
  tiny: {
    about: 'Inner products of about 1e-5, where the 1e-8 of scaling by the mean shows.',
    vectors: table(9, 4, whole(draws('tiny'), 0, 5)).map((row) => row.map((x) => x / 1024)),
  },
  decimals: {
    about: 'Vectors as encoders make them, about unit length, three decimals.',
    vectors: decimals(),
  },
  words: {
    about: 'Embeddings, texts, and the vectors of a second encoder.',
    vectors: table(17, 6, whole(draws('words'), -3, 9)),
    texts: sentences(17),
    views: { second: table(17, 4, whole(draws('second'), -2, 6)) },
  },
  scripts: {
    about: 'Texts of several scripts, with marks, final sigma, dotted I; two without terms.',
    vectors: table(13, 4, whole(draws('scripts'), -1, 5)),
    texts: scripts,
  },
  'same-words': {
    about: 'Texts of one word and candidates of one vector: nothing decides.',
    vectors: Array.from({ length: 6 }, () => [1, 0]),
    texts: ['apple', 'apple', 'Apple apple', 'APPLE apple apple', 'apple, apple', 'apple!'],
  },
}
