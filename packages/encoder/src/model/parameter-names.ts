import type { EncoderConfig } from './config.ts'

/** The stems of a layer's parameters; each has a `.weight` and a `.bias`. */
export interface LayerNames {
  query: string
  key: string
  value: string
  attentionOutput: string
  attentionNorm: string
  up: string
  down: string
  outputNorm: string
}

/** The table of token embeddings, by which a checkpoint's prefix is found, too. */
export const WORDS = 'embeddings.word_embeddings.weight'

/** The table of places in a text. */
export const POSITIONS = 'embeddings.position_embeddings.weight'

/** The table of kinds of segments. */
export const TOKEN_TYPES = 'embeddings.token_type_embeddings.weight'

/** The names of a layer's parameters in checkpoints of a family. */
export function layerNames(family: EncoderConfig['family'], layer: number): LayerNames {
  if (family === 'bert') {
    const at = `encoder.layer.${layer}`
    return {
      query: `${at}.attention.self.query`,
      key: `${at}.attention.self.key`,
      value: `${at}.attention.self.value`,
      attentionOutput: `${at}.attention.output.dense`,
      attentionNorm: `${at}.attention.output.LayerNorm`,
      up: `${at}.intermediate.dense`,
      down: `${at}.output.dense`,
      outputNorm: `${at}.output.LayerNorm`,
    }
  }
  const at = `transformer.layer.${layer}`
  return {
    query: `${at}.attention.q_lin`,
    key: `${at}.attention.k_lin`,
    value: `${at}.attention.v_lin`,
    attentionOutput: `${at}.attention.out_lin`,
    attentionNorm: `${at}.sa_layer_norm`,
    up: `${at}.ffn.lin1`,
    down: `${at}.ffn.lin2`,
    outputNorm: `${at}.output_layer_norm`,
  }
}
