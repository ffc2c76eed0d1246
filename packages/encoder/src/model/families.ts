/** The name of the learned biases by distance, buckets × heads. */
export const DISTANCES = 'encoder.relative_attention_bias.weight'

/** The name of the table of positions. */
export const POSITIONS = 'embeddings.position_embeddings.weight'

/** The name of the table of segment types. */
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
    epsilon: 'layer_norm_eps',
  },
  fixed: { position_embedding_type: 'absolute' },
  words: 'embeddings.word_embeddings.weight',
  norm: 'embeddings.LayerNorm',
  layer(number) {
    const at = `encoder.layer.${number}`
    return {
      projections: ['query', 'key', 'value'].map((name) => `${at}.attention.self.${name}`),
      attentionOutput: `${at}.attention.output.dense`,
      attentionNorm: `${at}.attention.output.LayerNorm`,
      up: `${at}.intermediate.dense`,
      down: `${at}.output.dense`,
      outputNorm: `${at}.output.LayerNorm`,
    }
  },
  score: { dense: 'pooler.dense', out: 'classifier' },
  tokenTypes: true,
  positions: 'table',
}

const { score: _, ...withoutScore } = bert

const distilbert: Family = {
  ...withoutScore,
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
      projections: ['q', 'k', 'v'].map((name) => `${at}.attention.${name}_lin`),
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

const mpnet: Family = {
  ...withoutScore,
  layer(number) {
    const at = `encoder.layer.${number}`
    return {
      ...bert.layer(number),
      projections: ['q', 'k', 'v'].map((name) => `${at}.attention.attn.${name}`),
      attentionOutput: `${at}.attention.attn.o`,
      attentionNorm: `${at}.attention.LayerNorm`,
    }
  },
  tokenTypes: false,
  positions: 'table and distances',
  positionsAfterPadding: true,
}

const modernbert: Family = {
  ...withoutScore,
  keys: { ...bert.keys, activation: 'hidden_activation', epsilon: 'norm_eps' },
  fixed: { norm_bias: false, attention_bias: false, mlp_bias: false },
  words: 'embeddings.tok_embeddings.weight',
  norm: 'embeddings.norm',
  layer(number) {
    const at = `layers.${number}`
    return {
      projections: [`${at}.attn.Wqkv`],
      attentionOutput: `${at}.attn.Wo`,
      // The input of the first layer is already normalized.
      attentionNorm: number > 0 ? `${at}.attn_norm` : undefined,
      up: `${at}.mlp.Wi`,
      gate: `${at}.mlp.Wi`,
      down: `${at}.mlp.Wo`,
      outputNorm: `${at}.mlp_norm`,
    }
  },
  tokenTypes: false,
  positions: 'rotary',
  withoutBias: 'all',
  finalNorm: 'final_norm',
}

const nomic: Family = {
  ...withoutScore,
  aliases: {
    num_hidden_layers: 'n_layer',
    num_attention_heads: 'n_head',
    hidden_size: 'n_embd',
    intermediate_size: 'n_inner',
    max_position_embeddings: 'n_positions',
    hidden_act: 'activation_function',
    layer_norm_eps: 'layer_norm_epsilon',
    rope_theta: 'rotary_emb_base',
  },
  fixed: {
    prenorm: false,
    use_rms_norm: false,
    qkv_proj_bias: false,
    mlp_fc1_bias: false,
    mlp_fc2_bias: false,
    rotary_emb_fraction: 1,
    rotary_emb_interleaved: false,
    rotary_scaling_factor: null,
    moe_every_n_layers: 0,
  },
  norm: 'emb_ln',
  layer(number) {
    const at = `encoder.layers.${number}`
    return {
      projections: [`${at}.attn.Wqkv`],
      attentionOutput: `${at}.attn.out_proj`,
      attentionNorm: `${at}.norm1`,
      up: `${at}.mlp.fc11`,
      gate: `${at}.mlp.fc12`,
      down: `${at}.mlp.fc2`,
      outputNorm: `${at}.norm2`,
    }
  },
  positions: 'rotary',
  withoutBias: 'linear',
}

/** The families that the graph builder supports, by `model_type`. */
export const families = {
  bert,
  distilbert,
  roberta,
  'xlm-roberta': roberta,
  mpnet,
  modernbert,
  nomic_bert: nomic,
} satisfies Record<string, Family>

/** A `model_type` that the graph builder supports. */
export type FamilyName = keyof typeof families

/** The names of the tables of token embeddings, which also identify a checkpoint's prefix. */
export const wordTables = new Set(Object.values<Family>(families).map(({ words }) => words))

/**
 * The names of a layer's parameters without suffix; each has a `.weight`, and a `.bias` if its
 * family has biases.
 */
export interface LayerNames {
  /** Query, key and value, or one matrix with the three stacked. */
  projections: readonly string[]
  attentionOutput: string
  /** Undefined if the layer has no such normalization. */
  attentionNorm: string | undefined
  up: string
  /** The gate of a gated block: a separate matrix, or the first half of `up`. */
  gate?: string
  down: string
  outputNorm: string
}

/** The sizes of an encoder that its weights also determine. */
export type Size =
  | 'layers'
  | 'heads'
  | 'hidden'
  | 'intermediate'
  | 'vocabulary'
  | 'positions'
  | 'tokenTypes'

/** The settings and weights of a family of encoders, and its differences from BERT. */
export interface Family {
  /** The names of settings in `config.json`. */
  keys: Readonly<Record<Size | 'activation' | 'epsilon', string>>
  /** Older names of settings, by the current name. */
  aliases?: Readonly<Record<string, string>>
  /** Settings with a single supported value, which is also the default. */
  fixed: Readonly<Record<string, unknown>>
  /** The table of token embeddings. */
  words: string
  /** The name of the normalization of embeddings, without suffix. */
  norm: string
  /** Returns the parameters of a layer by its number. */
  layer(number: number): LayerNames
  /** The two layers that turn a pair's first token into a score, if Kith supports them. */
  score?: { dense: string; out: string }
  /** Whether segment types have embeddings. */
  tokenTypes: boolean
  /**
   * The number that layer normalization adds to variances, if `config.json` has no such setting.
   */
  epsilon?: number
  /**
   * The kind of position embeddings. `table` adds a row of a table to each token; `table and
   * distances` also adds a learned bias to each attention score by the tokens' distance; `rotary`
   * rotates queries and keys by an angle.
   */
  positions: 'table' | 'table and distances' | 'rotary'
  /**
   * Whether the table of positions begins with unused rows, up to and including the padding token's
   * id.
   */
  positionsAfterPadding?: boolean
  /** The parts without biases: linear layers only, or normalizations as well. */
  withoutBias?: 'linear' | 'all'
  /**
   * The name of the last normalization, if layers normalize their input instead of their output.
   */
  finalNorm?: string
}
