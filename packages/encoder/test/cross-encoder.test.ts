/** Cross-encoders: random checkpoints against a plain forward pass, and pairs against recorded ones. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { loadCrossEncoder } from '../src/index.ts'
import { TextTokenizer } from '../src/tokens/text-tokenizer.ts'
import { sizeOf, tokenizers } from './fixtures.ts'
import { forward, linear } from './reference.ts'
import { bertConfig, bertNames, measures, randomHead, randomWeights } from './small-models.ts'
import { safetensors, writeFiles } from './support.ts'

const output = temporaryFolder()
const query = 'a query'
const texts = [
  '',
  'dense retrieval',
  'the neighbors of a query',
  'words again and again '.repeat(9),
]

/** The layouts of ms-marco-MiniLM-L-6-v2, of a RoBERTa, and of bge-reranker. */
const layouts = [
  {
    name: 'BERT',
    tokenizer: 'WordPiece',
    config: { ...bertConfig, model_type: 'bert' },
    prefix: 'bert.',
    head: ['bert.pooler.dense', 'classifier'],
    measures,
  },
  {
    name: 'RoBERTa',
    tokenizer: 'byte-level BPE',
    config: { ...bertConfig, model_type: 'roberta', type_vocab_size: 1, pad_token_id: 1 },
    prefix: 'roberta.',
    head: ['classifier.dense', 'classifier.out_proj'],
    measures: { ...measures, firstPlace: 2 },
  },
  {
    name: 'XLM-RoBERTa',
    tokenizer: 'Unigram without splitting',
    config: { ...bertConfig, model_type: 'xlm-roberta', type_vocab_size: 1, pad_token_id: 1 },
    prefix: 'roberta.',
    head: ['classifier.dense', 'classifier.out_proj'],
    measures: { ...measures, firstPlace: 2 },
  },
] as const

describe.each(layouts)('$name', ({ name, tokenizer, config, prefix, head, measures }) => {
  const { description, pairs } = tokenizers[tokenizer]!
  const size = sizeOf(description)
  const names = bertNames(prefix)
  const tensors = {
    ...randomWeights(names, 3, size, config.type_vocab_size),
    ...randomHead(head, 4),
  }
  const folder = writeFiles(join(output, name), {
    'config.json': { ...config, vocab_size: size },
    'tokenizer.json': description,
    'model.safetensors': safetensors(tensors, 'F32'),
  })

  test('tokenizes pairs as the tokenizer’s own library does', () => {
    const ours = new TextTokenizer('tokenizer.json', description, {}, 512)
    for (const { pair, ids, types } of pairs) {
      const found = ours.pairsWith(pair[0])(pair[1])
      expect(found.ids).toEqual(ids)
      if (config.type_vocab_size > 1) expect(found.types).toEqual(types)
    }
  })

  test('returns the raw outputs of the plain forward pass, and truncates texts, never the query', async () => {
    await using model = await loadCrossEncoder(folder, { threads: 1 })
    let done = 0
    const { scores, cut } = await model.crossEncode(query, texts, {
      onProgress: (count) => {
        done = count
      },
    })
    expect([done, cut]).toEqual([texts.length, 1])
    const tokens = new TextTokenizer('tokenizer.json', description, {}, model.maxTokens)
    texts.forEach((text, i) => {
      const { ids, types } = tokens.pairsWith(query)(text)
      expect(ids.length).toBeLessThanOrEqual(model.maxTokens)
      const hidden = forward(tensors, names, measures, ids, config.type_vocab_size > 1 ? types : [])
      const inner = linear(tensors, [hidden[0]!], head[0])[0]!.map(Math.tanh)
      const [expected] = linear(tensors, [inner], head[1])[0]!
      expect(Math.abs(scores[i]! - expected!)).toBeLessThan(1e-5)
    })
    const alone = await model.crossEncode(query, texts.slice(1, 2))
    expect(alone.scores[0]).toBe(scores[1])
    await expect(model.crossEncode('query '.repeat(40), texts)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(`${model.maxTokens}`),
    })
    await expect(model.crossEncode(query, [3 as never])).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('text 0'),
    })
  })

  test('refuses a model without a classification head', async () => {
    const encoder = writeFiles(join(output, `${name} bare`), {
      'config.json': { ...config, vocab_size: size },
      'tokenizer.json': description,
      'model.safetensors': safetensors(
        randomWeights(names, 3, size, config.type_vocab_size),
        'F32',
      ),
    })
    await expect(loadCrossEncoder(encoder)).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining(`${head[1]}.weight`),
    })
    const three = writeFiles(join(output, `${name} of three`), {
      'config.json': { ...config, vocab_size: size },
      'tokenizer.json': description,
      'model.safetensors': safetensors({ ...tensors, ...randomHead(head, 4, 3) }, 'F32'),
    })
    await expect(loadCrossEncoder(three)).rejects.toMatchObject({ code: 'BAD_FILE' })
  })
})
