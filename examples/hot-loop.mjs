// Rerank many queries: one Reranker reuses its memory, and texts are tokenized once.
import { prepareText, presets, Reranker } from '@kith/core'

const passages = ['red apples', 'green apples', 'apple pie', 'stock prices', 'market news']
const texts = passages.map((text) => prepareText(text))
const vectors = texts.map((_, i) => [Math.cos(i / 3), Math.sin(i / 3)])
const reranker = new Reranker({ ...presets.balanced, k: 3 })
for (const [text, angle] of [
  ['apples', 0.3],
  ['market', 1.2],
]) {
  const vector = [Math.cos(angle), Math.sin(angle)]
  const { order } = reranker.rerank({ vector, text }, { vectors, texts })
  console.log(`${text}: ${order.join(' ')}`)
}
