/** Small random checkpoints with exactly the key names of published ones. */
import type { Names } from './reference.ts'
import { generator, type Tensor } from './support.ts'

export const measures = { layers: 2, heads: 2, hidden: 16, epsilon: 1e-12 }
const [INTERMEDIATE, POSITIONS] = [32, 24]
const words = 'the of and retrieval dense query neighbor kith a b c ##s ##ing'.split(' ')
export const vocabulary = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...words]

export const bertConfig = {
  model_type: 'bert',
  architectures: ['BertForMaskedLM'],
  hidden_size: measures.hidden,
  num_hidden_layers: measures.layers,
  num_attention_heads: measures.heads,
  intermediate_size: INTERMEDIATE,
  hidden_act: 'gelu',
  layer_norm_eps: 1e-12,
  max_position_embeddings: POSITIONS,
  type_vocab_size: 2,
  vocab_size: vocabulary.length,
}

export const distilbertConfig = {
  model_type: 'distilbert',
  architectures: ['DistilBertModel'],
  dim: measures.hidden,
  n_layers: measures.layers,
  n_heads: measures.heads,
  hidden_dim: INTERMEDIATE,
  activation: 'gelu',
  max_position_embeddings: POSITIONS,
  vocab_size: vocabulary.length,
}

/** BERT's names after a prefix; checkpoints of old say gamma and beta. */
export function bertNames(prefix: string, old = false): Names {
  return {
    embeddings: {
      words: `${prefix}embeddings.word_embeddings.weight`,
      places: `${prefix}embeddings.position_embeddings.weight`,
      types: `${prefix}embeddings.token_type_embeddings.weight`,
      norm: `${prefix}embeddings.LayerNorm`,
    },
    layer: (i) => {
      const at = `${prefix}encoder.layer.${i}.`
      return {
        query: `${at}attention.self.query`,
        key: `${at}attention.self.key`,
        value: `${at}attention.self.value`,
        out: `${at}attention.output.dense`,
        norm1: `${at}attention.output.LayerNorm`,
        up: `${at}intermediate.dense`,
        down: `${at}output.dense`,
        norm2: `${at}output.LayerNorm`,
      }
    },
    gamma: old ? 'gamma' : 'weight',
    beta: old ? 'beta' : 'bias',
  }
}

/** DistilBERT's names after a prefix. */
export function distilbertNames(prefix: string): Names {
  return {
    embeddings: {
      words: `${prefix}embeddings.word_embeddings.weight`,
      places: `${prefix}embeddings.position_embeddings.weight`,
      norm: `${prefix}embeddings.LayerNorm`,
    },
    layer: (i) => {
      const at = `${prefix}transformer.layer.${i}.`
      return {
        query: `${at}attention.q_lin`,
        key: `${at}attention.k_lin`,
        value: `${at}attention.v_lin`,
        out: `${at}attention.out_lin`,
        norm1: `${at}sa_layer_norm`,
        up: `${at}ffn.lin1`,
        down: `${at}ffn.lin2`,
        norm2: `${at}output_layer_norm`,
      }
    },
    gamma: 'weight',
    beta: 'bias',
  }
}

/** Random weights under the given names, large enough that every step matters. */
export function randomWeights(
  names: Names,
  seed: number,
  tokens = vocabulary.length,
  types = 2,
  layers = measures.layers,
): Record<string, Tensor> {
  const { tensors, make, dense } = maker(seed)
  const { hidden } = measures
  const norm = (name: string) => {
    make(`${name}.${names.gamma}`, [hidden], 1)
    make(`${name}.${names.beta}`, [hidden])
  }
  const { embeddings } = names
  make(embeddings.words, [tokens, hidden])
  if (embeddings.places) make(embeddings.places, [POSITIONS, hidden])
  if (embeddings.types) make(embeddings.types, [types, hidden])
  norm(embeddings.norm)
  for (let i = 0; i < layers; i++) {
    const { query, key, value, out, norm1, up, gate, down, norm2 } = names.layer(i)
    for (const name of [query, key, value, out]) dense(name, hidden, hidden)
    if (norm1) norm(norm1)
    dense(up, INTERMEDIATE, hidden)
    if (gate) dense(gate, INTERMEDIATE, hidden)
    dense(down, hidden, INTERMEDIATE)
    norm(norm2)
  }
  if (names.last) norm(names.last)
  return tensors
}

/** The two layers of a classification head, by the stems of their names. */
export function randomHead(
  [inner, out]: readonly [string, string],
  seed: number,
  scores = 1,
): Record<string, Tensor> {
  const { tensors, dense } = maker(seed)
  dense(inner, measures.hidden, measures.hidden)
  dense(out, scores, measures.hidden)
  return tensors
}

/** Makes random tensors. */
function maker(seed: number) {
  const random = generator(seed)
  const tensors: Record<string, Tensor> = {}
  const make = (name: string, shape: number[], center = 0) => {
    const length = shape.reduce((product, size) => product * size, 1)
    // Rounded to what bfloat16 holds, so that one reference serves every stored type.
    const value = () => Math.round((center + random() * 2 - 1) * 64) / 64
    tensors[name] = { shape, data: Float32Array.from({ length }, value) }
  }
  const dense = (name: string, out: number, width: number) => {
    make(`${name}.weight`, [out, width])
    make(`${name}.bias`, [out])
  }
  return { tensors, make, dense }
}

/** Keys that published checkpoints carry besides the encoder's. */
export function extras(prefix: string, head: string): Record<string, Tensor> {
  const { hidden } = measures
  const zeros = (...shape: number[]): Tensor => ({
    shape,
    data: new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(Number.NaN),
  })
  return {
    [`${prefix}embeddings.position_ids`]: zeros(1, POSITIONS),
    [`${prefix}pooler.dense.weight`]: zeros(hidden, hidden),
    [`${prefix}pooler.dense.bias`]: zeros(hidden),
    [`${head}.bias`]: zeros(vocabulary.length),
    [`${head}.decoder.weight`]: zeros(vocabulary.length, hidden),
  }
}
