import type { RerankingModelV3 } from '@ai-sdk/provider'
import type { PresetName } from '@kith/core'
import { refuseUnknown } from '@kith/core/internal'
import { createRerankingModel, optionParts, type RerankingOptions } from './reranking-model.ts'

/** Kith as a provider of the AI SDK. */
export interface Kith {
  /**
   * A model for `rerank()` of specification V3, which versions 6 and 7 accept. Its scores
   * compare documents of one call only: 0 is about their average.
   *
   * @param preset Its settings: `balanced` unless told otherwise.
   * @param options Options that differ from the provider's.
   */
  rerankingModel(preset?: PresetName, options?: RerankingOptions): RerankingModelV3
}

/**
 * Makes reranking models that need no cross-encoder: vectors from your embedding
 * model or your store, words from the documents.
 *
 * ```ts
 * const kith = createKith({
 *   embed: async (values) => (await embedMany({ model: embeddingModel, values })).embeddings,
 * })
 * const { rerankedDocuments } = await rerank({ model: kith.rerankingModel(), documents, query, topN: 5 })
 * ```
 */
export function createKith(options: RerankingOptions = {}): Kith {
  refuseUnknown(options, optionParts)
  return {
    rerankingModel: (preset = 'balanced', more = {}) =>
      createRerankingModel(preset, { ...options, ...more }),
  }
}
