import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { loadEncoder, openModel } from '../src/index.ts'
import { exportOnnx } from '../src/model/model-files.ts'
import { wordPieceDescription } from '../src/tokens/tokenizer-files.ts'
import { bertConfig, bertNames, randomWeights, vocabulary } from './small-models.ts'
import { modernbert, nomic } from './small-variants.ts'
import { safetensors, withHeader, writeFiles } from './support.ts'

const output = temporaryFolder()
const tensors = randomWeights(bertNames(''), 4)
const weights = safetensors(tensors, 'F32')
const good = {
  'config.json': bertConfig as unknown,
  'vocab.txt': vocabulary.join('\n') as unknown,
  'model.safetensors': weights as unknown,
}
const words = 'embeddings.word_embeddings.weight'
const only = (description: object) => withHeader({ [words]: description }, new Uint8Array(64))

const bad: [string, Record<string, unknown>, string][] = [
  ['weights that are cut off', { 'model.safetensors': weights.subarray(0, 9000) }, 'truncated'],
  ['empty weights', { 'model.safetensors': '' }, 'byte 0'],
  ['a huge header', { 'model.safetensors': Buffer.alloc(16, 255) }, '18446744073709551615'],
  ['a header that is no JSON', { 'model.safetensors': withHeader('{') }, 'header: '],
  ['a header that is a list', { 'model.safetensors': withHeader([]) }, 'header: '],
  ['a tensor without a shape', { 'model.safetensors': only({ dtype: 'F32' }) }, 'dtype'],
  [
    'a tensor outside of the file',
    { 'model.safetensors': only({ dtype: 'F32', shape: [4], data_offsets: [60, 76] }) },
    'outside the file',
  ],
  [
    'other weights',
    { 'model.safetensors': safetensors({ x: { shape: [1], data: new Float32Array(1) } }, 'F32') },
    'BERT',
  ],
  [
    'two encoders',
    {
      'model.safetensors': safetensors({ ...tensors, ...randomWeights(bertNames('b.'), 1) }, 'F32'),
    },
    'contains several encoders',
  ],
  [
    'a missing tensor',
    { 'model.safetensors': without('encoder.layer.1.output.dense.bias') },
    'encoder.layer.1.output.dense.bias',
  ],
  [
    'another shape',
    { 'model.safetensors': reshaped('encoder.layer.1.intermediate.dense.weight', [16, 32]) },
    'tensor encoder.layer.1.intermediate.dense.weight: ',
  ],
  ['NaN', { 'model.safetensors': withNaN() }, `tensor ${words}: value 7 is NaN`],
  ['whole numbers', { 'model.safetensors': wholeNumbers() }, `tensor ${words}: `],
  [
    'an index that leads out of the folder',
    { 'model.safetensors.index.json': { weight_map: { x: '../model.safetensors' } } },
    '"../model.safetensors"',
  ],
  ['an index of nothing', { 'model.safetensors.index.json': { weight_map: 3 } }, 'weight_map'],
  ['a config that is no JSON', { 'config.json': '{' }, 'config.json: '],
  ['a config that is a list', { 'config.json': [] }, 'config.json: '],
  ['another family', { 'config.json': { ...bertConfig, model_type: 't5' } }, 'got "t5"'],
  [
    'relative positions',
    { 'config.json': { ...bertConfig, position_embedding_type: 'relative_key' } },
    '"relative_key"',
  ],
  ['no heads', { 'config.json': { ...bertConfig, num_attention_heads: 0 } }, 'num_attention_heads'],
  [
    'three heads',
    { 'config.json': { ...bertConfig, num_attention_heads: 3 } },
    'num_attention_heads (3)',
  ],
  ['swish', { 'config.json': { ...bertConfig, hidden_act: 'swish' } }, 'hidden_act'],
  [
    'a vocabulary that is too large',
    { 'vocab.txt': `${vocabulary.join('\n')}\nx` },
    'token id 18 ',
  ],
  ['no special tokens', { 'vocab.txt': 'a\nb' }, '[UNK]'],
  ['no tokenizer', { 'vocab.txt': undefined }, 'vocab.txt'],
  ['a strange tokenizer', { 'tokenizer.json': { model: 3 } }, 'tokenizer.json: '],
  [
    'a tokenizer with a huge id',
    { 'tokenizer.json': tokenizer({ a: 4_000_000_000 }) },
    'token "a"',
  ],
  ['a tokenizer with words as ids', { 'tokenizer.json': tokenizer({ a: 'x' }) }, 'got "x"'],
  ['a tokenizer with negative ids', { 'tokenizer.json': tokenizer({ a: -1 }) }, 'got -1'],
  [
    'a tokenizer without its unknown token',
    { 'tokenizer.json': tokenizer({ a: 5 }, '[NONE]') },
    'unk_token "[NONE]"',
  ],
  [
    'a piece without its probability',
    { 'tokenizer.json': unigram([['<unk>', 0], ['a']], 0) },
    'got ["a"]',
  ],
  [
    'pieces without one for unknown characters',
    { 'tokenizer.json': unigram([['<unk>', 0]], null) },
    'unk_id null',
  ],
  [
    'a table of replacements that is cut off',
    {
      'tokenizer.json': unigram([['<unk>', 0]], 0, {
        type: 'Precompiled',
        precompiled_charsmap: Buffer.from([4, 0, 0, 0, 1]).toString('base64'),
      }),
    },
    'precompiled_charsmap',
  ],
  ['a tokenizer that is a list', { 'tokenizer.json': [] }, 'tokenizer.json: '],
  [
    'tokenizer settings that are no JSON',
    { 'tokenizer_config.json': '{' },
    'tokenizer_config.json: ',
  ],
  [
    'a limit in words',
    { 'tokenizer_config.json': { model_max_length: 'all' } },
    'model_max_length',
  ],
  [
    'a limit below nothing',
    { 'sentence_bert_config.json': { max_seq_length: -1 } },
    'sentence_bert_config.json: max_seq_length',
  ],
  [
    'prompts that are no texts',
    { 'config_sentence_transformers.json': { prompts: { query: 3 } } },
    'config_sentence_transformers.json: prompts',
  ],
  [
    'no position after padding',
    { 'config.json': { ...bertConfig, model_type: 'roberta', pad_token_id: 23 } },
    'max_position_embeddings',
  ],
  [
    'a padding token below nothing',
    { 'config.json': { ...bertConfig, model_type: 'roberta', pad_token_id: -1 } },
    'pad_token_id',
  ],
  [
    'biases in ModernBERT',
    { 'config.json': { ...modernbert.config, vocab_size: 18, norm_bias: true } },
    'norm_bias true',
  ],
  [
    'layers of several kinds without order',
    {
      'config.json': {
        ...modernbert.config,
        vocab_size: 18,
        layer_types: ['full_attention', 'full_attention', 'sliding_attention'],
      },
    },
    'layer_types',
  ],
  [
    'angles of another kind',
    { 'config.json': { ...nomic.config, vocab_size: 18, rope_parameters: { rope_type: 'yarn' } } },
    'rope_type "yarn"',
  ],
  [
    'angles without a base',
    { 'config.json': { ...nomic.config, vocab_size: 18, rotary_emb_base: 0 } },
    'rope_theta',
  ],
  [
    'heads that cannot be halved',
    { 'config.json': { ...nomic.config, vocab_size: 18, n_head: 16 } },
    '16 heads',
  ],
  [
    'a window of nothing',
    { 'config.json': { ...modernbert.config, vocab_size: 18, local_attention: 0 } },
    'local_attention',
  ],
  ['modules that are no list', { 'modules.json': {} }, 'modules.json: '],
  ['a dense module', { 'modules.json': [{ type: 'st.models.Dense', path: '2' }] }, 'module Dense'],
  [
    'modules that lead out of the folder',
    { 'modules.json': [{ type: 'st.models.Pooling', path: '../1_Pooling' }] },
    '"../1_Pooling"',
  ],
  [
    'pooling by two modes',
    {
      'modules.json': [{ type: 'st.models.Pooling', path: '1_Pooling' }],
      '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_max_tokens: true },
    },
    '1_Pooling/config.json: ',
  ],
]

test.each(bad)('%s', async (name, files, problem) => {
  const all: Record<string, unknown> = { ...good, ...files }
  if (files['model.safetensors.index.json']) delete all['model.safetensors']
  const present = Object.entries(all).filter(([, content]) => content !== undefined)
  const folder = writeFiles(join(output, name), Object.fromEntries(present))
  const loading = loadEncoder(folder, { pooling: 'mean', threads: 1 })
  await expect(loading).rejects.toThrow(problem)
  await expect(loading).rejects.toMatchObject({ name: 'KithError' })
})

/** Sizes that no weights have, in the words of config.json. */
const sizes: [string, unknown, string][] = [
  ['num_hidden_layers', 10_000_000, '2 layers'],
  ['num_hidden_layers', 3, 'num_hidden_layers is 3, but'],
  ['vocab_size', 10_000_000, `the tensor ${words} of`],
  ['max_position_embeddings', 9_999_999, 'is 24 × 16'],
  ['type_vocab_size', 9_999_999, 'is 2 × 16'],
  ['intermediate_size', 9_999_999, 'is 32 × 16'],
  ['hidden_size', 10_000_000, 'is 18 × 16'],
  ['num_attention_heads', 32, 'hidden_size must be a multiple of num_attention_heads (32), got 16'],
]
const keys = [...new Set(sizes.map(([key]) => key))]
for (const key of keys) {
  for (const value of [0, -1, 2.5, '12', 1e300, null, [2], {}, true]) {
    sizes.push([key, value, ' 10000000, '])
  }
}
sizes.push(['layer_norm_eps', '1e-12', 'layer_norm_eps'])
sizes.push(['layer_norm_eps', -1, 'layer_norm_eps'])
sizes.push(['hidden_act', {}, 'hidden_act'])
sizes.push(['hidden_act', 'constructor', 'hidden_act'])

test.each(sizes)('refuses %s of %j before a graph is built', async (key, value, problem) => {
  const files = { ...good, 'config.json': { ...bertConfig, [key]: value } }
  const folder = writeFiles(join(output, 'sizes'), files)
  const opened: [string, () => Promise<unknown>][] = [
    ['openModel', () => openModel(folder, { pooling: 'mean' })],
    ['loadEncoder', () => loadEncoder(folder, { pooling: 'mean', threads: 1 })],
    ['exportOnnx', () => exportOnnx(folder, join(output, 'exported'), { pooling: 'mean' })],
  ]
  for (const [, open] of opened) {
    const error = (await open().catch((reason: unknown) => reason)) as Error
    expect(error).toMatchObject({ name: 'KithError', file: join(folder, 'config.json') })
    expect(error.message).toContain(value === 32 ? '32' : JSON.stringify(value))
    expect(error.message).toContain(problem)
  }
})

test('does not block on a pipe in place of a file', async () => {
  for (const [name, problem] of [
    ['config.json', 'is not a file'],
    ['model.safetensors', 'is a pipe, but this format is read by position'],
  ] as const) {
    const folder = writeFiles(join(output, `pipe-${name}`), good)
    rmSync(join(folder, name))
    execFileSync('mkfifo', [join(folder, name)])
    await expect(loadEncoder(folder, { pooling: 'mean' })).rejects.toThrow(
      `${join(folder, name)}: ${problem}`,
    )
  }
})

test('refuses a model without a known pooling', async () => {
  const folder = writeFiles(join(output, 'unpooled'), good)
  await expect(loadEncoder(folder)).rejects.toThrow(
    'set pooling to "mean" (RepBERT, E5) or "first"',
  )
})

test('refuses pickled weights, with the reason', async () => {
  const folder = writeFiles(join(output, 'pickle'), { ...good, 'pytorch_model.bin': 'x' })
  rmSync(join(folder, 'model.safetensors'))
  await expect(loadEncoder(folder)).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('pytorch_model.bin'),
  })
})

test('throws if an embedding is not finite', async () => {
  const last = 'encoder.layer.1.output.LayerNorm.weight'
  const data = new Float32Array(tensors[last]!.data.length).fill(3e38)
  const folder = writeFiles(join(output, 'infinite'), {
    ...good,
    'model.safetensors': safetensors({ ...tensors, [last]: { ...tensors[last]!, data } }, 'F32'),
  })
  const encoder = await loadEncoder(folder, { pooling: 'first', threads: 1 })
  await expect(encoder.encode(['a'])).rejects.toMatchObject({
    code: 'BAD_VECTOR',
    message: expect.stringContaining('text 0'),
  })
  await encoder.close()
})

/** A tokenizer with these tokens besides the special ones. */
function tokenizer(vocab: Record<string, unknown>, unknown = '[UNK]'): object {
  const special = Object.fromEntries(vocabulary.slice(0, 5).map((token, id) => [token, id]))
  return {
    ...wordPieceDescription('', vocabulary.join('\n'), {}),
    model: { type: 'WordPiece', unk_token: unknown, vocab: { ...special, ...vocab } },
  }
}

/** A Unigram tokenizer. */
function unigram(vocab: unknown[], unknown: unknown, normalizer: object | null = null): object {
  return { ...tokenizer({}), normalizer, model: { type: 'Unigram', vocab, unk_id: unknown } }
}

function without(name: string): Buffer {
  const { [name]: _, ...others } = tensors
  return safetensors(others, 'F32')
}

function reshaped(name: string, shape: number[]): Buffer {
  return safetensors({ ...tensors, [name]: { ...tensors[name]!, shape } }, 'F32')
}

function withNaN(): Buffer {
  const data = tensors[words]!.data.slice()
  data[7] = Number.NaN
  return safetensors({ ...tensors, [words]: { ...tensors[words]!, data } }, 'F32')
}

function wholeNumbers(): Buffer {
  const text = weights.toString('latin1')
  return Buffer.from(
    text.replace(`"${words}":{"dtype":"F32"`, `"${words}":{"dtype":"I32"`),
    'latin1',
  )
}
