import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [hidden, inner, layers, positions] = [8, 16, 2, 16]
const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'dense', 'retrieval', 'kith', '##s']

/** A random BERT checkpoint of two layers, with rows for so many tokens: the files of its folder, by name. */
export function smallModel(tokens = words.length) {
  return {
    'config.json': JSON.stringify({
      model_type: 'bert',
      hidden_size: hidden,
      num_hidden_layers: layers,
      num_attention_heads: 2,
      intermediate_size: inner,
      hidden_act: 'gelu',
      layer_norm_eps: 1e-12,
      max_position_embeddings: positions,
      type_vocab_size: 2,
      vocab_size: tokens,
    }),
    'modules.json': JSON.stringify([
      { type: 'sentence_transformers.models.Transformer', path: '' },
      { type: 'sentence_transformers.models.Pooling', path: '1_Pooling' },
      { type: 'sentence_transformers.models.Normalize', path: '2_Normalize' },
    ]),
    '1_Pooling/config.json': JSON.stringify({ pooling_mode_mean_tokens: true }),
    'tokenizer.json': JSON.stringify(tokenizer()),
    'model.safetensors': weights(tokens),
  }
}

/** Writes those files into a folder, whose name it returns. */
export function writeSmallModel(folder, tokens = words.length) {
  for (const [name, bytes] of Object.entries(smallModel(tokens))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  return folder
}

function tokenizer() {
  const vocab = Object.fromEntries(words.map((word, id) => [word, id]))
  const special = (token) => ({ id: token, ids: [vocab[token]], tokens: [token] })
  return {
    version: '1.0',
    added_tokens: [],
    normalizer: { type: 'BertNormalizer', lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  }
}

function weights(tokens) {
  const header = { __metadata__: { format: 'pt' } }
  const data = []
  const add = (name, ...shape) => {
    const from = data.length * 4
    const count = shape.reduce((product, size) => product * size, 1)
    for (let i = 0; i < count; i++) data.push(Math.sin(data.length))
    header[name] = { dtype: 'F32', shape, data_offsets: [from, data.length * 4] }
  }
  const dense = (name, out, width) => {
    add(`${name}.weight`, out, width)
    add(`${name}.bias`, out)
  }
  const norm = (name) => {
    add(`${name}.weight`, hidden)
    add(`${name}.bias`, hidden)
  }
  add('embeddings.word_embeddings.weight', tokens, hidden)
  add('embeddings.position_embeddings.weight', positions, hidden)
  add('embeddings.token_type_embeddings.weight', 2, hidden)
  norm('embeddings.LayerNorm')
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}`
    for (const part of ['query', 'key', 'value']) {
      dense(`${at}.attention.self.${part}`, hidden, hidden)
    }
    dense(`${at}.attention.output.dense`, hidden, hidden)
    norm(`${at}.attention.output.LayerNorm`)
    dense(`${at}.intermediate.dense`, inner, hidden)
    dense(`${at}.output.dense`, hidden, inner)
    norm(`${at}.output.LayerNorm`)
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, Buffer.from(Float32Array.from(data).buffer)])
}
