/** Random checkpoints of the families that are further from BERT, in the layouts of published ones. */
import { type Measures, type Names, silu } from './reference.ts'
import { bertConfig, bertNames, measures, randomWeights } from './small-models.ts'
import type { Tensor } from './support.ts'

/** A family: what its files say, and how the plain forward pass has the same. */
export interface Variant {
  config: Record<string, unknown>
  names: Names
  measures: Measures
  /** The tensors of a checkpoint, from those of the plain forward pass. */
  stored(tensors: Record<string, Tensor>): Record<string, Tensor>
  /** The tensors of the plain forward pass. */
  weights(seed: number, tokens: number): Record<string, Tensor>
}

const { hidden, heads } = measures

const distances = 'encoder.relative_attention_bias.weight'
const mpnetNames = ((): Names => {
  const bert = bertNames('')
  const { types: _, ...embeddings } = bert.embeddings
  return {
    ...bert,
    embeddings,
    layer: (i) => ({
      ...bert.layer(i),
      query: `encoder.layer.${i}.attention.attn.q`,
      key: `encoder.layer.${i}.attention.attn.k`,
      value: `encoder.layer.${i}.attention.attn.v`,
      out: `encoder.layer.${i}.attention.attn.o`,
      norm1: `encoder.layer.${i}.attention.LayerNorm`,
    }),
  }
})()
/** One number for each head and bucket. */
const perBucket = Float32Array.from({ length: 32 * heads }, (_, i) => Math.sin(i))

export const mpnet: Variant = {
  config: { ...bertConfig, model_type: 'mpnet', pad_token_id: 1 },
  names: mpnetNames,
  measures: {
    ...measures,
    firstPlace: 2,
    // Up to 7 tokens apart have buckets of their own; 8 to 11 share one, 12 to 15 and 16 to 22 the next.
    distance(head, behind) {
      const far = Math.abs(behind)
      const bucket = far < 8 ? far : far < 12 ? 8 : far < 16 ? 9 : 10
      return perBucket[(behind > 0 ? 16 + bucket : bucket) * heads + head]!
    },
  },
  weights: (seed, tokens) => randomWeights(mpnetNames, seed, tokens),
  stored: (tensors) => ({ ...tensors, [distances]: { shape: [32, heads], data: perBucket } }),
}

/** Matrices below each other. */
function below(parts: Tensor[]): Tensor {
  const [, width] = parts[0]!.shape as [number, number]
  const data = Float32Array.from(parts.flatMap((part) => [...part.data]))
  return { shape: [data.length / width, width], data }
}

/** Without the biases of some tensors. */
function unbiased(
  tensors: Record<string, Tensor>,
  which: (name: string) => boolean,
): Record<string, Tensor> {
  const kept = Object.entries(tensors).filter(([name]) => !name.endsWith('.bias') || !which(name))
  return Object.fromEntries(kept)
}

/** Puts parts that a checkpoint has as one matrix together. */
function joined(
  tensors: Record<string, Tensor>,
  joins: Record<string, string[]>,
): Record<string, Tensor> {
  const parts = new Set(Object.values(joins).flat())
  const others = Object.entries(tensors).filter(([name]) => !parts.has(name))
  const wholes = Object.entries(joins).map(([whole, names]) => {
    return [whole, below(names.map((name) => tensors[name]!))] as const
  })
  return Object.fromEntries([...others, ...wholes])
}

const parts = ['query', 'key', 'value']

const modernNames: Names = {
  embeddings: { words: 'model.embeddings.tok_embeddings.weight', norm: 'model.embeddings.norm' },
  layer: (i) => ({
    query: `${i}.query`,
    key: `${i}.key`,
    value: `${i}.value`,
    out: `model.layers.${i}.attn.Wo`,
    norm1: i > 0 ? `model.layers.${i}.attn_norm` : undefined,
    gate: `${i}.gate`,
    up: `${i}.up`,
    down: `model.layers.${i}.mlp.Wo`,
    norm2: `model.layers.${i}.mlp_norm`,
  }),
  gamma: 'weight',
  beta: 'bias',
  last: 'model.final_norm',
}

const modernLayers = 3
export const modernbert: Variant = {
  config: {
    model_type: 'modernbert',
    hidden_size: hidden,
    num_hidden_layers: modernLayers,
    num_attention_heads: heads,
    intermediate_size: bertConfig.intermediate_size,
    hidden_activation: 'gelu',
    norm_eps: 1e-5,
    max_position_embeddings: 24,
    global_attn_every_n_layers: 2,
    local_attention: 6,
    global_rope_theta: 160_000,
    local_rope_theta: 100,
  },
  names: modernNames,
  measures: {
    ...measures,
    layers: modernLayers,
    epsilon: 1e-5,
    theta: (layer) => (layer % 2 === 0 ? 160_000 : 100),
    reach: (layer) => (layer % 2 === 0 ? Infinity : 3),
  },
  weights: (seed, tokens) =>
    unbiased(randomWeights(modernNames, seed, tokens, 0, modernLayers), () => true),
  stored: (tensors) =>
    joined(
      tensors,
      Object.fromEntries(
        Array.from({ length: modernLayers }, (_, i) => [
          [`model.layers.${i}.attn.Wqkv.weight`, parts.map((part) => `${i}.${part}.weight`)],
          [`model.layers.${i}.mlp.Wi.weight`, [`${i}.gate.weight`, `${i}.up.weight`]],
        ]).flat(),
      ),
    ),
}

const nomicNames: Names = {
  embeddings: {
    words: 'embeddings.word_embeddings.weight',
    types: 'embeddings.token_type_embeddings.weight',
    norm: 'emb_ln',
  },
  layer: (i) => ({
    query: `${i}.query`,
    key: `${i}.key`,
    value: `${i}.value`,
    out: `encoder.layers.${i}.attn.out_proj`,
    norm1: `encoder.layers.${i}.norm1`,
    gate: `encoder.layers.${i}.mlp.fc12`,
    up: `encoder.layers.${i}.mlp.fc11`,
    down: `encoder.layers.${i}.mlp.fc2`,
    norm2: `encoder.layers.${i}.norm2`,
  }),
  gamma: 'weight',
  beta: 'bias',
}

export const nomic: Variant = {
  config: {
    model_type: 'nomic_bert',
    n_embd: hidden,
    n_layer: measures.layers,
    n_head: heads,
    n_inner: bertConfig.intermediate_size,
    n_positions: 24,
    activation_function: 'swiglu',
    layer_norm_epsilon: 1e-12,
    type_vocab_size: 2,
    rotary_emb_base: 1000,
    rotary_emb_fraction: 1,
    rotary_emb_interleaved: false,
    prenorm: false,
  },
  names: nomicNames,
  measures: { ...measures, theta: () => 1000, activation: silu },
  weights: (seed, tokens) =>
    unbiased(randomWeights(nomicNames, seed, tokens), (name) => !/emb_ln|norm\d/.test(name)),
  stored: (tensors) =>
    joined(
      tensors,
      Object.fromEntries(
        Array.from({ length: measures.layers }, (_, i) => [
          `encoder.layers.${i}.attn.Wqkv.weight`,
          parts.map((part) => `${i}.${part}.weight`),
        ]),
      ),
    ),
}
