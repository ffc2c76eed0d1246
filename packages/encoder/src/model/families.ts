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

/** The sizes of an encoder that its weights show, too. */
export type Size =
  | 'layers'
  | 'heads'
  | 'hidden'
  | 'intermediate'
  | 'vocabulary'
  | 'positions'
  | 'tokenTypes'

/** Where a family of encoders has its settings and weights, and how it differs from BERT. */
export interface Family {
  /** The names of settings in `config.json`. */
  keys: Readonly<Record<Size | 'activation', string>>
  /** The parameters of a layer, by its number. */
  layer(number: number): LayerNames
  /** The two layers that turn a pair's first token into a score, where Kith knows them. */
  score?: { dense: string; out: string }
  /** Whether kinds of segments have embeddings. */
  tokenTypes: boolean
  /** The number that layer normalisation adds to variances, where `config.json` has no setting for it. */
  epsilon?: number
  /** Whether the table of positions begins with rows that no token takes: those up to the padding token's id. */
  positionsAfterPadding?: boolean
}

/** The table of token embeddings, by which a checkpoint's prefix is found, too. */
export const WORDS = 'embeddings.word_embeddings.weight'

/** The table of places in a text. */
export const POSITIONS = 'embeddings.position_embeddings.weight'

/** The table of kinds of segments. */
export const TOKEN_TYPES = 'embeddings.token_type_embeddings.weight'

const bert: Family = {
  keys: {
    layers: 'num_hidden_layers',
    heads: 'num_attention_heads',
    hidden: 'hidden_size',
    intermediate: 'intermediate_size',
    vocabulary: 'vocab_size',
    positions: 'max_position_embeddings',
    tokenTypes: 'type_vocab_size',
    activation: 'hidden_act',
  },
  layer(number) {
    const at = `encoder.layer.${number}`
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
  },
  score: { dense: 'pooler.dense', out: 'classifier' },
  tokenTypes: true,
}

const distilbert: Family = {
  keys: {
    ...bert.keys,
    layers: 'n_layers',
    heads: 'n_heads',
    hidden: 'dim',
    intermediate: 'hidden_dim',
    activation: 'activation',
  },
  layer(number) {
    const at = `transformer.layer.${number}`
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
  },
  tokenTypes: false,
  epsilon: 1e-12,
}

const roberta: Family = {
  ...bert,
  score: { dense: 'classifier.dense', out: 'classifier.out_proj' },
  positionsAfterPadding: true,
}

/** The families that the graph builder knows, by `model_type`. */
export const families = { bert, distilbert, roberta, 'xlm-roberta': roberta }

/** A `model_type` that the graph builder knows. */
export type FamilyName = keyof typeof families
