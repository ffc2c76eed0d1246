// Rerank the hits of any vector store: vectors and texts in, order out.
import { rerank } from '@kith/core'

const query = { vector: [0.9, 0.1, 0.2], text: 'how do bees find flowers' }
const hits = [
  { text: 'Beekeeping tools and hives', vector: [0.9, 0.12, 0.25] },
  { text: 'Bees find flowers by color and scent', vector: [0.88, 0.11, 0.29] },
  { text: 'Flowers guide bees with ultraviolet patterns', vector: [0.85, 0.12, 0.33] },
  { text: 'The price of honey in winter', vector: [0.5, 0.8, 0.1] },
]
const { order, scores } = rerank(query, {
  vectors: hits.map((hit) => hit.vector),
  texts: hits.map((hit) => hit.text),
})
order.forEach((index, place) => {
  console.log(`${place + 1}. ${hits[index].text} (${scores[place].toFixed(2)})`)
})
