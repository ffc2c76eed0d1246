import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DocumentVectors } from '../src/index.ts'

/** Numbers from −1 to 1 that are the same in every run. */
export function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

const words = 'the of and retrieval dense query neighbour kith red green blue one two three'.split(
  ' ',
)
const vocabulary = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...words]

export interface SmallModel {
  family?: 'bert' | 'distilbert' | 'roberta'
  pooling?: 'mean' | 'first'
  normalise?: boolean
  activation?: string
  hidden?: number
}

/** Writes a checkpoint of two layers with random weights, and with a pooler that nobody uses. */
export function writeSmallModel(folder: string, options: SmallModel = {}): string {
  const { family = 'bert', pooling = 'mean', normalise = true, activation = 'gelu' } = options
  const hidden = options.hidden ?? 8
  const [layers, heads, inner, positions] = [2, 2, 2 * hidden, 16]
  const config =
    family !== 'distilbert'
      ? {
          model_type: family,
          hidden_size: hidden,
          num_hidden_layers: layers,
          num_attention_heads: heads,
          intermediate_size: inner,
          hidden_act: activation,
          layer_norm_eps: 1e-12,
          max_position_embeddings: positions,
          type_vocab_size: 2,
          ...(family === 'roberta' ? { pad_token_id: 1 } : {}),
          vocab_size: vocabulary.length,
        }
      : {
          model_type: 'distilbert',
          dim: hidden,
          n_layers: layers,
          n_heads: heads,
          hidden_dim: inner,
          activation,
          max_position_embeddings: positions,
          vocab_size: vocabulary.length,
        }
  const random = generator(7)
  const tensors: Record<string, { shape: number[]; data: Float32Array }> = {}
  const make = (name: string, shape: number[], centre = 0) => {
    const length = shape.reduce((product, dim) => product * dim, 1)
    tensors[name] = { shape, data: Float32Array.from({ length }, () => centre + random() * 0.5) }
  }
  const prefix = `${family}.`
  make(`${prefix}embeddings.word_embeddings.weight`, [vocabulary.length, hidden])
  make(`${prefix}embeddings.position_embeddings.weight`, [positions, hidden])
  const bert = family !== 'distilbert'
  if (bert) make(`${prefix}embeddings.token_type_embeddings.weight`, [2, hidden])
  const norm = (name: string) => {
    make(`${name}.weight`, [hidden], 1)
    make(`${name}.bias`, [hidden])
  }
  const dense = (name: string, out: number, width: number) => {
    make(`${name}.weight`, [out, width])
    make(`${name}.bias`, [out])
  }
  norm(`${prefix}embeddings.LayerNorm`)
  for (let i = 0; i < layers; i++) {
    const at = `${prefix}${bert ? 'encoder' : 'transformer'}.layer.${i}.`
    const square = bert
      ? [
          'attention.self.query',
          'attention.self.key',
          'attention.self.value',
          'attention.output.dense',
        ]
      : ['attention.q_lin', 'attention.k_lin', 'attention.v_lin', 'attention.out_lin']
    for (const name of square) dense(at + name, hidden, hidden)
    norm(at + (bert ? 'attention.output.LayerNorm' : 'sa_layer_norm'))
    dense(at + (bert ? 'intermediate.dense' : 'ffn.lin1'), inner, hidden)
    dense(at + (bert ? 'output.dense' : 'ffn.lin2'), hidden, inner)
    norm(at + (bert ? 'output.LayerNorm' : 'output_layer_norm'))
  }
  make(`${prefix}pooler.dense.weight`, [hidden, hidden])
  const modules = ['Transformer', 'Pooling', ...(normalise ? ['Normalize'] : [])]
  mkdirSync(join(folder, '1_Pooling'), { recursive: true })
  const files: Record<string, unknown> = {
    'config.json': config,
    'modules.json': modules.map((kind, i) => ({
      path: i === 0 ? '' : `${i}_${kind}`,
      type: `sentence_transformers.models.${kind}`,
    })),
    '1_Pooling/config.json': {
      pooling_mode_cls_token: pooling === 'first',
      pooling_mode_mean_tokens: pooling === 'mean',
    },
  }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), JSON.stringify(content))
  }
  writeFileSync(join(folder, 'vocab.txt'), vocabulary.join('\n'))
  writeFileSync(join(folder, 'model.safetensors'), safetensors(tensors))
  return folder
}

function safetensors(tensors: Record<string, { shape: number[]; data: Float32Array }>): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  const parts: Buffer[] = []
  let at = 0
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    header[name] = { dtype: 'F32', shape, data_offsets: [at, at + bytes.length] }
    parts.push(bytes)
    at += bytes.length
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...parts])
}

/** Documents with random vectors. */
export function randomDocuments(rows: number, dimensions: number, seed: number): DocumentVectors {
  const random = generator(seed)
  const memory = Float32Array.from({ length: rows * dimensions }, random)
  return documentsOf(memory, dimensions)
}

/** Vectors in memory as documents. */
export function documentsOf(memory: Float32Array, dimensions: number): DocumentVectors {
  const read = (from: number, to: number) => memory.slice(from * dimensions, to * dimensions)
  return {
    rows: memory.length / dimensions,
    dimensions,
    memory,
    read,
    gather(rows, into = new Float32Array(rows.length * dimensions)) {
      for (let i = 0; i < rows.length; i++) into.set(read(rows[i]!, rows[i]! + 1), i * dimensions)
      return into
    },
  }
}
