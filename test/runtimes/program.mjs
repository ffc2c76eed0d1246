// The same rankings through core and each adapter, on every runtime. Exports, so that a Worker can answer with them.
import { createKith } from '@kith/ai-sdk'
import { kernel, rerank } from '@kith/core'
import { qdrant, rerankHits } from '@kith/hits'
import { KithRerank } from '@kith/langchain'
import { Document } from '@langchain/core/documents'

const query = { vector: [0.9, 0.1, 0.2], text: 'how do bees find flowers' }
const documents = [
  { text: 'Beekeeping tools and hives', vector: [0.9, 0.12, 0.25] },
  { text: 'Bees find flowers by color and scent', vector: [0.88, 0.11, 0.29] },
  { text: 'Flowers guide bees with ultraviolet patterns', vector: [0.85, 0.12, 0.33] },
  { text: 'The price of honey in winter', vector: [0.5, 0.8, 0.1] },
]
const vectors = documents.map((document) => document.vector)
const texts = documents.map((document) => document.text)
const vectorOf = (text) => vectors[texts.indexOf(text)] ?? query.vector

/** The kernel that ran, and the order that each package gives. */
export async function rankings() {
  const core = rerank(query, { vectors, texts })
  const points = documents.map(({ text, vector }, id) => ({ id, vector, payload: { text } }))
  const hits = rerankHits(query, points, qdrant({ text: 'text' }))
  const langchain = await new KithRerank({
    embeddings: {
      embedQuery: async () => query.vector,
      embedDocuments: async (all) => all.map(vectorOf),
    },
  }).compressDocuments(
    texts.map((pageContent) => new Document({ pageContent })),
    query.text,
  )
  const model = createKith({ embed: async (all) => all.map(vectorOf) }).rerankingModel()
  const { ranking } = await model.doRerank({
    query: query.text,
    documents: { type: 'text', values: texts },
  })
  return {
    kernel: kernel(),
    core: [...core.order],
    hits: hits.map(({ index }) => index),
    langchain: langchain.map(({ pageContent }) => texts.indexOf(pageContent)),
    'ai-sdk': ranking.map(({ index }) => index),
  }
}
