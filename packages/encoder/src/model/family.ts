/** The stems of a layer's parameters; each has a `.weight`, and a `.bias` where its family has biases. */
export interface LayerNames {
  /** Query, key and value, or one matrix with the three below each other. */
  projections: readonly string[]
  attentionOutput: string
  /** Undefined where a layer has none. */
  attentionNorm: string | undefined
  up: string
  /** The factor of a gated block: a matrix of its own, or the first half of `up`. */
  gate?: string
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
  keys: Readonly<Record<Size | 'activation' | 'epsilon', string>>
  /** Older names of settings, by the name that counts. */
  aliases?: Readonly<Record<string, string>>
  /** Settings of which one value is supported, also the one that counts where there is none. */
  fixed: Readonly<Record<string, unknown>>
  /** The table of token embeddings. */
  words: string
  /** The stem of the normalization of embeddings. */
  norm: string
  /** The parameters of a layer, by its number. */
  layer(number: number): LayerNames
  /** The two layers that turn a pair's first token into a score, where Kith knows them. */
  score?: { dense: string; out: string }
  /** Whether kinds of segments have embeddings. */
  tokenTypes: boolean
  /** The number that layer normalization adds to variances, where `config.json` has no setting for it. */
  epsilon?: number
  /**
   * How positions are told: a row of a table is added to each token, beside that a learned number to
   * each attention score by the tokens' distance, or queries and keys are turned by an angle.
   */
  positions: 'table' | 'table and distances' | 'rotary'
  /** Whether the table of positions begins with rows that no token takes: those up to the padding token's id. */
  positionsAfterPadding?: boolean
  /** Which parts have no biases: linear layers, or normalizations as well. */
  withoutBias?: 'linear' | 'all'
  /** The stem of the last normalization, where layers normalize what they take, instead of what they give. */
  finalNorm?: string
}
