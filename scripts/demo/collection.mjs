/**
 * A small collection made from a seed, with what reranking meets in life: topics
 * with words of their own, documents that touch a second topic, and an encoder
 * that sees words only dimly. Made up, and the demo says so.
 */

const TOPICS = 60
const DOCUMENTS_PER_TOPIC = 20
const DIMENSIONS = 96

/** Queries with their relevant documents, documents, and vectors for both. */
export function makeCollection(seed = 7) {
  const random = generator(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const common = Array.from({ length: 300 }, () => makeWord(random))
  const topics = Array.from({ length: TOPICS }, () =>
    Array.from({ length: 14 }, () => makeWord(random)),
  )
  const directions = new Map()
  const direction = (word) => {
    if (!directions.has(word)) directions.set(word, gaussian(random))
    return directions.get(word)
  }
  /** The mean of its words' directions, and much noise: an encoder that is right on the whole. */
  const encode = (text, noise) => {
    const vector = gaussian(random).map((value) => value * noise)
    const words = text.toLowerCase().match(/\w+/g)
    for (const word of words) {
      direction(word).forEach((value, j) => {
        vector[j] += value / Math.sqrt(words.length)
      })
    }
    const length = Math.hypot(...vector)
    return Float32Array.from(vector, (value) => value / length)
  }
  const sentence = (main, second, length) => {
    const words = Array.from({ length }, () => {
      const chance = random()
      if (chance < 0.34) return pick(main)
      return chance < 0.46 ? pick(second) : common[Math.floor(300 * random())]
    })
    return `${words.join(' ')}.`
  }

  const documents = topics.flatMap((main, topic) =>
    Array.from({ length: DOCUMENTS_PER_TOPIC }, (_, i) => {
      const text = sentence(main, pick(topics), 30 + Math.floor(random() * 30))
      return { id: `doc-${topic}-${i}`, topic, text, vector: encode(text, 0.35) }
    }),
  )
  const queries = topics.map((main, topic) => {
    const text = `${pick(main.slice(0, 7))} ${pick(main.slice(7))} ${pick(common)}`
    return { id: `query-${topic}`, topic, text, vector: encode(text, 0.3) }
  })
  return { queries, documents }
}

function makeWord(random) {
  const syllables = ['ka', 'ri', 'mo', 'te', 'lu', 'sen', 'dor', 'vi', 'pa', 'nim', 'gra', 'bel']
  const count = 2 + Math.floor(random() * 2)
  return Array.from({ length: count }, () => syllables[Math.floor(random() * 12)]).join('')
}

function gaussian(random) {
  return Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5)
}

function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
