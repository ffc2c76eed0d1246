import type { RerankingModelV3, RerankingModelV3CallOptions } from '@ai-sdk/provider'
import {
  KithError,
  type MethodSettings,
  type PartialMethodSettings,
  type PresetName,
  presets,
  rerank,
  resolveMethodSettings,
} from '@kith/core'
import { type NamedParts, refuseUnknown } from '@kith/core/internal'
import { readDocuments, type TextOf, vectorOf } from './documents.ts'
import { completeVectors, type Embed } from './embed.ts'
import { nearestFirst } from './nearest-first.ts'

/** Where vectors and texts come from. */
export interface RerankingOptions {
  /** Embeds the query, and the documents that bring no `embedding` of their own. */
  embed?: Embed | undefined
  /** The text of an object document; by default all its strings. */
  text?: TextOf | undefined
  /**
   * Settings that differ from the preset's, such as those that `kith tune` found. With the paper's,
   * whose mix is `raw`, words do not count.
   */
  settings?: PartialMethodSettings | undefined
}

/** The names of a model's options. */
export const optionParts: NamedParts = {
  part: 'option of createKith',
  known: ['embed', 'text', 'settings'],
  synonyms: { embed: ['embedding', 'embeddings', 'embeddingModel', 'model'], text: ['textOf'] },
}

/**
 * A reranking model of the AI SDK's specification V3. It is a plain object, without
 * `this`: version 7 of the SDK calls older models through a proxy.
 */
export function createRerankingModel(
  preset: PresetName,
  options: RerankingOptions,
): RerankingModelV3 {
  refuseUnknown(options, optionParts)
  if (!Object.hasOwn(presets, preset)) {
    const known = Object.keys(presets).join(', ')
    throw new KithError('BAD_SETTING', `there is no preset ${preset}, allowed: ${known}`)
  }
  const settings = resolveMethodSettings(options.settings, resolveMethodSettings(presets[preset]))
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
  { embed, text }: RerankingOptions,
  settings: MethodSettings,
): Promise<Awaited<ReturnType<RerankingModelV3['doRerank']>>> {
  if (topN !== undefined && !(Number.isInteger(topN) && topN > 0)) {
    throw new KithError('BAD_SETTING', `topN is ${topN}, allowed: whole numbers from 1`)
  }
  const documents = readDocuments(given, text)
  const asked = {
    text: query,
    vector: vectorOf(providerOptions?.['kith']?.['embedding'], 'the query'),
  }
  const [[vector], vectors] = await Promise.all([
    completeVectors(embed, [asked], { role: 'query', signal }, () => 'the query'),
    completeVectors(embed, documents, { role: 'document', signal }, (index) => `document ${index}`),
  ])
  signal?.throwIfAborted()
  const places = nearestFirst(vector!, vectors, settings.metric)
  const texts = places.map((place) => documents[place]!.text)
  // The paper's raw mix has one view, and objects with nothing but numbers have no words.
  const words =
    (settings.mix === 'standard' || settings.method === 'fusion') && texts.some((one) => one !== '')
  const candidates = {
    vectors: places.map((place) => vectors[place]!),
    texts: words ? texts : undefined,
  }
  const { order, scores } = rerank({ vector: vector!, text: query }, candidates, settings)
  return {
    ranking: Array.from(order.subarray(0, topN), (index, place) => ({
      index: places[index]!,
      relevanceScore: scores[place]!,
    })),
  }
}
