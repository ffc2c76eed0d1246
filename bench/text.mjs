/**
 * What the text view of 50 passages of 100 words costs, from raw texts and from
 * prepared ones, beside the Gram matrix of 50 vectors of 768 numbers.
 */
import { kernel, prepareText } from '@kith/core'
import { appendText, createEngine, Postings } from '@kith/core/steps'
import { clusteredContext, generator } from './clusters.mjs'
import { sideBySide, table } from './measure.mjs'

const PASSAGES = 50
const WORDS = 100
const DIMENSIONS = 768

export async function run() {
  const inputs = Array.from({ length: 100 }, (_, i) => {
    const texts = passages(i)
    return {
      texts,
      prepared: texts.map((text) => prepareText(text).postings),
      ...clusteredContext(PASSAGES, DIMENSIONS, i),
    }
  })
  const engine = createEngine()
  const postings = new Postings()
  const similarity = (texts) => {
    postings.clear()
    for (const text of texts) appendText(postings, text)
    engine.open({ ...shape, dimensions: 0, postings: postings.count })
    engine.text(postings)
  }
  const vectors = createEngine()
  const times = await sideBySide(
    {
      copy: ({ query, candidates }) => {
        vectors.open({ ...shape, dimensions: DIMENSIONS, postings: 0 })
        const { data, stride } = vectors.vectors(DIMENSIONS)
        data.set(query)
        candidates.forEach((row, i) => {
          data.set(row, (i + 1) * stride)
        })
        vectors.gram()
      },
      // Of the vectors copied last: the Gram matrix alone, without the copying.
      gram: () => vectors.gram(),
      prepared: ({ prepared }) => similarity(prepared),
      raw: ({ texts }) => similarity(texts),
    },
    inputs,
    1000,
  )
  const ratio = (name) => (times[name] / times.gram).toFixed(2)
  console.log(
    `\nThe text view of ${PASSAGES} passages of ${WORDS} words, ms (${kernel()}, median)\n`,
  )
  console.log(
    table([
      ['step', 'ms', '× Gram', 'at most'],
      [`Gram, d = ${DIMENSIONS}`, times.gram.toFixed(3), '1.00', ''],
      ['Gram with copying the vectors', times.copy.toFixed(3), ratio('copy'), ''],
      ['text view, prepared', times.prepared.toFixed(3), ratio('prepared'), '1'],
      ['text view, raw texts', times.raw.toFixed(3), ratio('raw'), '4'],
    ]),
  )
}

const shape = { rows: PASSAGES + 1, blended: false, k: 10, kExp: 4, trust: 0 }

/**
 * A query and passages on one topic, with the statistics of real ones (Cranfield,
 * SciFact): about 620 characters, 3,400 different terms in the texts together, of
 * which two thirds of the vocabulary stand in one text only.
 */
function passages(seed) {
  const random = generator(seed)
  const zipf = () => Math.floor(40_000 ** (random() ** 2))
  const topic = Array.from({ length: 200 }, () => 200 + Math.floor(random() * 8_000))
  const text = (words) =>
    Array.from({ length: words }, (_, i) => {
      const next = word(random() < 0.25 ? topic[Math.floor(topic.length * random() ** 2)] : zipf())
      return i % 12 === 0
        ? `${next[0].toUpperCase()}${next.slice(1)}`
        : i % 12 === 11
          ? `${next}.`
          : next
    }).join(' ')
  return [text(8), ...Array.from({ length: PASSAGES }, () => text(WORDS))]
}

/** A word of its own for each rank, the frequent ones short. */
function word(rank) {
  const letters = generator(rank)
  const length = 2 + Math.floor(Math.log2(rank + 1) * (0.28 + 0.5 * letters()))
  return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(letters() * 26))).join('')
}
