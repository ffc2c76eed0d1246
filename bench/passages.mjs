import { buildWordnet, readNouns } from '@kith/datasets'
import { generator } from './clusters.mjs'

/**
 * A query and passages on one topic, with the statistics of real ones (Cranfield,
 * SciFact): of 100 words about 620 characters, and in 50 of them 3,400 different terms,
 * of which two thirds of the vocabulary stand in one text only.
 */
export function passages(seed, count, words) {
  const text = writer(seed)
  return [text(8), ...Array.from({ length: count }, () => text(words))]
}

/**
 * A function that gives a query and passages of real English: definitions of WordNet's nouns one
 * after the other, which are on one topic if they follow each other.
 */
export async function englishPassages() {
  const { documents } = buildWordnet(await readNouns())
  const words = documents.flatMap(({ text }) => text.split(' '))
  return (seed, count, length) => {
    const start = Math.floor(generator(seed)() * (words.length - (count + 1) * length))
    const passage = (i, n) => words.slice(start + i * length, start + i * length + n).join(' ')
    return [passage(count, 8), ...Array.from({ length: count }, (_, i) => passage(i, length))]
  }
}

/** A function that writes texts of this many words, all on one topic. */
export function writer(seed) {
  const random = generator(seed)
  const zipf = () => Math.floor(40_000 ** (random() ** 2))
  const topic = Array.from({ length: 200 }, () => 200 + Math.floor(random() * 8_000))
  return (words) =>
    Array.from({ length: words }, (_, i) => {
      const next = word(random() < 0.25 ? topic[Math.floor(topic.length * random() ** 2)] : zipf())
      return i % 12 === 0
        ? `${next[0].toUpperCase()}${next.slice(1)}`
        : i % 12 === 11
          ? `${next}.`
          : next
    }).join(' ')
}

const known = new Map()

/** A different word for each rank; frequent words are short. */
function word(rank) {
  if (!known.has(rank)) {
    const letters = generator(rank)
    const length = 2 + Math.floor(Math.log2(rank + 1) * (0.28 + 0.5 * letters()))
    const codes = Array.from({ length }, () => 97 + Math.floor(letters() * 26))
    known.set(rank, String.fromCharCode(...codes))
  }
  return known.get(rank)
}
