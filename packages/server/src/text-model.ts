import { basename, isAbsolute } from 'node:path'
import { optionalPackage } from '@kith/base'
import { openEndpoint } from '@kith/base/endpoint'
import { QueryAdapter } from '@kith/base/query-adapter'
import type { EncoderOptions, Role } from '@kith/encoder'
import { unavailable } from './problem.ts'

/** A model that embeds texts, and counts their tokens for answers. */
export interface TextModel {
  readonly name: string
  readonly dimensions: number
  /** The number of tokens after which texts are truncated. */
  readonly maxTokens: number
  /** Returns the embeddings of some texts. After a failed call, the model can still be used. */
  embed(texts: readonly string[], role: Role): Promise<EmbeddedText[]>
  close(): Promise<void>
  /** The adapter of the query embeddings, if there is one. */
  readonly adapter?: QueryAdapter | undefined
}

/** How to open a model: `embedUrl` is an OpenAI-compatible endpoint that replaces the encoder. */
export interface TextModelOptions extends EncoderOptions {
  embedUrl?: string | undefined
  /** The folder of a query adapter from `kith train --adapter` for this model. */
  adapter?: string | undefined
}

/**
 * Loads an encoder with the tokenizer that counts the tokens of requests, or opens an embeddings
 * endpoint.
 *
 * ```ts
 * const model = await openTextModel('minilm', {})
 * ```
 */
export async function openTextModel(
  name: string,
  { adapter: folder, ...options }: TextModelOptions,
): Promise<TextModel> {
  const adapter = folder === undefined ? undefined : await QueryAdapter.open(folder)
  const model = await openPlainModel(name, options)
  if (!adapter) return model
  try {
    adapter.checkModel({ name, dimensions: model.dimensions })
  } catch (error) {
    await model.close()
    throw error
  }
  return {
    ...model,
    adapter,
    async embed(texts, role) {
      const made = await model.embed(texts, role)
      if (role === 'document') return made
      return made.map((one) => ({ ...one, vector: adapter.apply(one.vector) }))
    },
  }
}

async function openPlainModel(
  name: string,
  { embedUrl, ...options }: Omit<TextModelOptions, 'adapter'>,
): Promise<TextModel> {
  if (embedUrl !== undefined) return openRemoteModel(embedUrl, name, options)
  const { loadEncoder, openModel } = await optionalPackage(
    'serving texts needs',
    '@kith/encoder',
    () => import('@kith/encoder'),
  )
  const { tokenizer, prefixes: usual } = await openModel(name, options)
  const encoder = await loadEncoder(name, options)
  const { dimensions, maxTokens } = encoder
  const { queryPrefix = usual.query, documentPrefix = usual.document } = options
  const prefixes = { query: queryPrefix, document: documentPrefix }
  return {
    // Clients should not see the path of the model on this machine.
    name: isAbsolute(encoder.name) ? basename(encoder.name) : encoder.name,
    dimensions,
    maxTokens,
    async embed(texts, role) {
      const { data } = await encoder.encode(texts, { role })
      return texts.map((text, i) => {
        const { ids, cut } = tokenizer.encode(prefixes[role] + text)
        const vector = data.slice(i * dimensions, (i + 1) * dimensions)
        return { vector, tokens: ids.length, cut }
      })
    },
    close: () => encoder.close(),
  }
}

/** Opens a model at an endpoint, which counts the tokens of a request, not of each text. */
async function openRemoteModel(
  embedUrl: string,
  model: string,
  options: EncoderOptions,
): Promise<TextModel> {
  const endpoint = await openEndpoint(embedUrl, { ...options, model })
  const { dimensions, maxTokens, name } = endpoint
  return {
    ...{ name, dimensions, maxTokens },
    async embed(texts, role) {
      const { data, tokens } = await endpoint.encode(texts, { role }).catch((error) => {
        // The error names the endpoint, which the client should not see.
        throw unavailable('texts cannot be embedded at the moment; retry later', error)
      })
      return texts.map((_, i) => ({
        vector: data.slice(i * dimensions, (i + 1) * dimensions),
        tokens: Math.round(tokens / texts.length),
        cut: false,
      }))
    },
    close: () => endpoint.close(),
  }
}

/** The embedding of a text, and its length in tokens. */
export interface EmbeddedText {
  vector: Float32Array
  /** The number of tokens that the model read. */
  tokens: number
  /** Whether the text was truncated. */
  cut: boolean
}
