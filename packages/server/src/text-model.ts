import { basename, isAbsolute } from 'node:path'
import { optionalPackage } from '@kith/base'
import type { EncoderOptions, Role } from '@kith/encoder'

/** A model that turns texts into vectors, and counts their tokens for answers. */
export interface TextModel {
  readonly name: string
  readonly dimensions: number
  /** Tokens after which texts are cut. */
  readonly maxTokens: number
  /** The embeddings of some texts. A call that fails leaves the model usable for the next one. */
  embed(texts: readonly string[], role: Role): Promise<EmbeddedText[]>
  close(): Promise<void>
}

/** Loads an encoder, and the tokenizer beside it that counts the tokens of requests. */
export async function openTextModel(name: string, options: EncoderOptions): Promise<TextModel> {
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
    // Clients are not told where on the machine the model lies.
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

/** The embedding of a text, and its length in tokens. */
export interface EmbeddedText {
  vector: Float32Array
  /** Tokens that the model saw. */
  tokens: number
  /** Whether the text had more of them. */
  cut: boolean
}
