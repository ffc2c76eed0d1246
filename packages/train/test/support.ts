import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildEncoder, families } from '@kith/encoder/internal'
import type { DocumentVectors } from '../src/index.ts'

/** Numbers from −1 to 1 that are the same in every run. */
export function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

const words = 'the of and retrieval dense query neighbor kith red green blue one two three'.split(
  ' ',
)
const vocabulary = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...words]

export type FamilyName = keyof typeof families

export interface SmallModel {
  family?: FamilyName
  pooling?: 'mean' | 'first'
  normalize?: boolean
  activation?: string
  hidden?: number
}

/** Settings that some families have besides. */
const more: Partial<Record<FamilyName, object>> = {
  roberta: { pad_token_id: 1 },
  'xlm-roberta': { pad_token_id: 1 },
  mpnet: { pad_token_id: 1 },
  // The second layer sees two tokens on each side.
  modernbert: { global_attn_every_n_layers: 2, local_attention: 4, local_rope_theta: 100 },
  nomic_bert: { hidden_act: 'silu' },
}

/** Writes a checkpoint of two layers with random weights, and with a pooler that nobody uses. */
export function writeSmallModel(folder: string, options: SmallModel = {}): string {
  const { family = 'bert', pooling = 'mean', normalize = true, activation = 'gelu' } = options
  const { keys, tokenTypes } = families[family]
  const hidden = options.hidden ?? 8
  const sizes = {
    layers: 2,
    heads: 2,
    hidden,
    intermediate: 2 * hidden,
    vocabulary: vocabulary.length,
    positions: 16,
    tokenTypes: 2,
  }
  const named = Object.entries(sizes).map(([size, value]) => [
    keys[size as keyof typeof sizes],
    value,
  ])
  const config = {
    model_type: family,
    ...Object.fromEntries(named),
    [keys.activation]: activation,
    [keys.epsilon]: 1e-12,
    ...more[family],
  }
  const random = generator(7)
  const tensors: Record<string, { shape: number[]; data: Float32Array }> = {}
  const make = (name: string, shape: number[], center = 0) => {
    const length = shape.reduce((product, dim) => product * dim, 1)
    tensors[name] = { shape, data: Float32Array.from({ length }, () => center + random() * 0.5) }
  }
  const prefix = `${family}.`
  // Names and shapes depend on the family and these sizes alone.
  const { graph } = buildEncoder({
    family,
    ...sizes,
    tokenTypes: tokenTypes ? sizes.tokenTypes : 0,
    activation: 'gelu',
    epsilon: 0,
    rotary: { theta: 1 },
  })
  for (const { name, shape } of graph.parameters) {
    const factor = shape.length === 1 && name.endsWith('.weight')
    make(prefix + name, shape as number[], factor ? 1 : 0)
  }
  make(`${prefix}pooler.dense.weight`, [hidden, hidden])
  const modules = ['Transformer', 'Pooling', ...(normalize ? ['Normalize'] : [])]
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
