import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { loadEncoder } from '../src/index.ts'
import { bertConfig, bertNames, randomWeights, vocabulary } from './small-models.ts'
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
  ['weights that are cut off', { 'model.safetensors': weights.subarray(0, 9000) }, 'cut off'],
  ['empty weights', { 'model.safetensors': '' }, 'the file ends at byte 0'],
  [
    'a huge header',
    { 'model.safetensors': Buffer.alloc(16, 255) },
    'a header of 18446744073709551615',
  ],
  ['a header that is no JSON', { 'model.safetensors': withHeader('{') }, 'header: is not JSON'],
  ['a header that is a list', { 'model.safetensors': withHeader([]) }, 'does not describe tensors'],
  ['a tensor without a shape', { 'model.safetensors': only({ dtype: 'F32' }) }, 'lacks its type'],
  [
    'a tensor outside of the file',
    { 'model.safetensors': only({ dtype: 'F32', shape: [4], data_offsets: [60, 76] }) },
    'outside of the file',
  ],
  [
    'other weights',
    { 'model.safetensors': safetensors({ x: { shape: [1], data: new Float32Array(1) } }, 'F32') },
    'not the weights of a BERT',
  ],
  [
    'two encoders',
    {
      'model.safetensors': safetensors({ ...tensors, ...randomWeights(bertNames('b.'), 1) }, 'F32'),
    },
    'holds several encoders',
  ],
  [
    'a missing tensor',
    { 'config.json': { ...bertConfig, num_hidden_layers: 3 } },
    'has no tensor encoder.layer.2.attention.self.query.weight',
  ],
  [
    'another shape',
    { 'config.json': { ...bertConfig, intermediate_size: 33 } },
    'tensor encoder.layer.0.intermediate.dense.weight: is 32 × 16, by config.json it should be 33 × 16',
  ],
  ['NaN', { 'model.safetensors': withNaN() }, `tensor ${words}: number 7 is NaN`],
  ['whole numbers', { 'model.safetensors': wholeNumbers() }, `tensor ${words}: is I32, supported`],
  [
    'an index that leads out of the folder',
    { 'model.safetensors.index.json': { weight_map: { x: '../model.safetensors' } } },
    'expected .safetensors files beside it',
  ],
  ['an index of nothing', { 'model.safetensors.index.json': { weight_map: 3 } }, 'no weight_map'],
  ['a config that is no JSON', { 'config.json': '{' }, 'config.json: is not JSON'],
  ['a config that is a list', { 'config.json': [] }, 'expected a JSON object'],
  ['another family', { 'config.json': { ...bertConfig, model_type: 't5' } }, 'found "t5"'],
  [
    'relative positions',
    { 'config.json': { ...bertConfig, position_embedding_type: 'relative_key' } },
    'relative_key is not supported',
  ],
  [
    'no heads',
    { 'config.json': { ...bertConfig, num_attention_heads: 0 } },
    'num_attention_heads is 0',
  ],
  [
    'three heads',
    { 'config.json': { ...bertConfig, num_attention_heads: 3 } },
    'divide by 3 heads',
  ],
  ['swish', { 'config.json': { ...bertConfig, hidden_act: 'swish' } }, 'hidden_act is swish'],
  [
    'a vocabulary that is too large',
    { 'vocab.txt': `${vocabulary.join('\n')}\nx` },
    'has token 18',
  ],
  ['no special tokens', { 'vocab.txt': 'a\nb' }, 'has no token [UNK]'],
  ['no tokenizer', { 'vocab.txt': undefined }, 'has neither tokenizer.json nor vocab.txt'],
  ['a strange tokenizer', { 'tokenizer.json': { model: 3 } }, 'tokenizer.json: is not a tokenizer'],
  ['modules that are no list', { 'modules.json': {} }, 'expected a list of modules'],
  ['a dense module', { 'modules.json': [{ type: 'st.models.Dense', path: '2' }] }, 'module Dense'],
  [
    'modules that lead out of the folder',
    { 'modules.json': [{ type: 'st.models.Pooling', path: '../1_Pooling' }] },
    'is not a folder inside',
  ],
  [
    'pooling by two modes',
    {
      'modules.json': [{ type: 'st.models.Pooling', path: '1_Pooling' }],
      '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_max_tokens: true },
    },
    'only mean and cls',
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

test('without a pooling nothing is guessed', async () => {
  const folder = writeFiles(join(output, 'unpooled'), good)
  await expect(loadEncoder(folder)).rejects.toThrow('say pooling "mean" (RepBERT, E5) or "first"')
})

test('weights in pickle are refused with a reason', async () => {
  const folder = writeFiles(join(output, 'pickle'), { ...good, 'pytorch_model.bin': 'x' })
  rmSync(join(folder, 'model.safetensors'))
  await expect(loadEncoder(folder)).rejects.toThrow('save it as safetensors first')
})

test('a number that is not finite goes no further', async () => {
  const last = 'encoder.layer.1.output.LayerNorm.weight'
  const data = new Float32Array(tensors[last]!.data.length).fill(3e38)
  const folder = writeFiles(join(output, 'infinite'), {
    ...good,
    'model.safetensors': safetensors({ ...tensors, [last]: { ...tensors[last]!, data } }, 'F32'),
  })
  const encoder = await loadEncoder(folder, { pooling: 'first', threads: 1 })
  await expect(encoder.encode(['a'])).rejects.toThrow(/gives text 0 the number -?Infinity/)
  encoder.close()
})

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
