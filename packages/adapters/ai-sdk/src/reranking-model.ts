import type { RerankingModelV3, RerankingModelV3CallOptions } from '@ai-sdk/provider'
import {
  KithError,
  type MethodSettings,
  type PartialMethodSettings,
  type PresetName,
  presets,
  resolveMethodSettings,
  type TermStatistics,
} from '@kith/core'
import {
  methodTable,
  type NamedParts,
  refuseIdle,
  refuseUnknown,
  warnMetric,
} from '@kith/core/internal'
import { type Embed, type ObjectReader, readDocuments, scoresOf, vectorOf } from './documents.ts'
import { type RelevanceOptions, rankDocuments } from './rank-documents.ts'

/** Options for vectors, texts, settings and relevance. */
export interface RerankingOptions extends ObjectReader, RelevanceOptions {
  /** Embeds the query, and the documents without an `embedding`. */
  embed?: Embed | undefined
  /**
   * The term statistics of the corpus, from `termStatistics` of @kith/core or `kith
   * term-statistics`. With them, the context is chosen from the first 200 documents instead of the
   * first 50.
   */
  statistics?: TermStatistics | undefined
  /**
   * Settings that differ from the preset, such as the settings of `kith tune`. With the paper's
   * settings, whose mix is `raw`, texts do not count.
   */
  settings?: PartialMethodSettings | undefined
}

/** The names of a model's options. */
const optionParts: NamedParts = {
  part: 'option of createKith',
  known: [
    ...['embed', 'text', 'title', 'settings', 'statistics'],
    ...['background', 'calibration', 'cutoff', 'onTopic', 'collapse'],
  ],
  synonyms: {
    embed: ['embedding', 'embeddings', 'embeddingModel', 'model'],
    text: ['textOf'],
    statistics: ['termStatistics', 'terms'],
    cutoff: ['minScore', 'scoreThreshold', 'threshold'],
  },
}

/**
 * Creates a reranking model of the AI SDK's specification V3. The model is a plain object, without
 * `this`: version 7 of the SDK calls older models through a proxy.
 */
function createRerankingModel(preset: PresetName, options: RerankingOptions): RerankingModelV3 {
  refuseUnknown(options, optionParts)
  if (!Object.hasOwn(presets, preset)) {
    const known = Object.keys(presets).join(', ')
    throw new KithError('BAD_SETTING', `preset must be one of ${known}, got ${preset}`)
  }
  const { settings: own, statistics } = options
  const settings = resolveMethodSettings(
    statistics === undefined ? own : { ...own, statistics },
    resolveMethodSettings(presets[preset]),
  )
  refuseIdle(own, settings, { texts: true }, methodTable)
  return {
    specificationVersion: 'v3',
    provider: 'kith',
    modelId: preset,
    doRerank: (call) => rerankDocuments(call, options, settings),
  }
}

async function rerankDocuments(
  {
    documents: given,
    query,
    topN,
    abortSignal: signal,
    providerOptions,
  }: RerankingModelV3CallOptions,
  { embed, text, title, ...others }: RerankingOptions,
  settings: MethodSettings,
): Promise<Awaited<ReturnType<RerankingModelV3['doRerank']>>> {
  if (topN !== undefined && !(Number.isInteger(topN) && topN > 0)) {
    throw new KithError('BAD_SETTING', `topN must be a whole number of at least 1, got ${topN}`)
  }
  const documents = readDocuments(given, { text, title })
  const { embedding, scores } = providerOptions?.['kith'] ?? {}
  const asked = { text: query, vector: vectorOf(embedding, 'the query') }
  const { background, calibration, cutoff, onTopic, collapse } = others
  const list = { background, calibration, cutoff, onTopic, collapse }
  const found = await rankDocuments(
    { query: asked, documents, scores: scoresOf(scores, documents.length) },
    { embed, signal, settings, list },
  )
  warnMetric(settings.metric, found.metric, 'the documents')
  const kept = found.hits.slice(0, topN)
  return {
    ranking: kept.map(({ index, score }) => ({ index, relevanceScore: score })),
    providerMetadata: {
      kith: {
        onTopic: found.onTopic ?? null,
        relevance: kept.map(({ relevance }) => relevance ?? null),
        similarity: kept.map(({ similarity }) => similarity ?? null),
      },
    },
  }
}

/** Kith as a provider of the AI SDK. */
export interface Kith {
  /**
   * Creates a model for `rerank()` of specification V3, which versions 6 and 7 accept. Its scores
   * compare documents of one call only: 0 is about their average. `providerMetadata.kith` has
   * `onTopic`, and `relevance` and `similarity` of each document.
   *
   * @param preset The preset of the settings. Default: `balanced`.
   * @param options Options that differ from the provider's.
   */
  rerankingModel(preset?: PresetName, options?: RerankingOptions): RerankingModelV3
}

/**
 * Creates a provider of reranking models that need no cross-encoder: vectors come from your
 * embedding model or your store, texts from the documents.
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
