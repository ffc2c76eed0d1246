/** Random checkpoints of the families against a plain forward pass: alone, padded, as long as can be. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { loadEncoder, openModel } from '../src/index.ts'
import { asCheckpoint } from '../src/model/model.ts'
import { buildModel, EMBEDDINGS, type ModelSource } from '../src/network/build-model.ts'
import { InferenceSession, Tensor } from '../src/runtime.ts'
import { sizeOf, tokenizers } from './fixtures.ts'
import { forward, type Names } from './reference.ts'
import {
  bertConfig,
  bertNames,
  distilbertConfig,
  distilbertNames,
  measures,
  randomWeights,
} from './small-models.ts'
import { modernbert, mpnet, nomic, type Variant } from './small-variants.ts'
import { cosine, safetensors, writeFiles } from './support.ts'

const output = temporaryFolder()

interface Small extends Variant {
  name: string
  tokenizer: string
  /** Tokens of the longest text. */
  longest: number
}

const roberta = {
  ...bertConfig,
  layer_norm_eps: 1e-5,
  pad_token_id: 1,
  type_vocab_size: 1,
}
const afterPadding = { ...measures, epsilon: 1e-5, firstPlace: 2 }

const robertaLike = (name: string, tokenizer: string, type: string, prefix: string): Small => ({
  name,
  tokenizer,
  config: { ...roberta, model_type: type },
  names: bertNames(prefix),
  measures: afterPadding,
  weights: (seed, tokens) => randomWeights(bertNames(prefix), seed, tokens, 1),
  stored: (tensors) => tensors,
  longest: 22,
})

const bertLike = (name: string, config: Record<string, unknown>, names: Names): Small => ({
  name,
  tokenizer: 'WordPiece',
  config,
  names,
  measures,
  weights: (seed, tokens) => randomWeights(names, seed, tokens),
  stored: (tensors) => tensors,
  longest: 24,
})

const families: Small[] = [
  bertLike('BERT', bertConfig, bertNames('bert.')),
  bertLike('DistilBERT', distilbertConfig, distilbertNames('distilbert.')),
  robertaLike('RoBERTa', 'byte-level BPE', 'roberta', 'roberta.'),
  robertaLike('XLM-RoBERTa', 'Unigram', 'xlm-roberta', ''),
  { name: 'MPNet', tokenizer: 'WordPiece', ...mpnet, longest: 22 },
  { name: 'ModernBERT', tokenizer: 'byte-level BPE', ...modernbert, longest: 24 },
  { name: 'nomic-embed', tokenizer: 'WordPiece', ...nomic, longest: 24 },
]

const texts = [
  '',
  'dense retrieval',
  'Überraschung 検索',
  'a query of many words, again and again, and then some',
]

describe.each(families)('$name', (family) => {
  const { name, tokenizer, config, names, measures, longest } = family
  const { description } = tokenizers[tokenizer]!
  const size = sizeOf(description)
  const tensors = family.weights(name.length, size)
  const folder = writeFiles(join(output, name), {
    'config.json': { ...config, vocab_size: size },
    'tokenizer.json': description,
    'model.safetensors': safetensors(family.stored(tensors), 'F32'),
    'modules.json': [
      { type: 'sentence_transformers.models.Transformer', path: '' },
      { type: 'sentence_transformers.models.Pooling', path: '1_Pooling' },
    ],
    '1_Pooling/config.json': { pooling_mode_mean_tokens: true },
    'config_sentence_transformers.json': { prompts: { query: 'query: ', passage: 'the ' } },
  })
  const expected = (ids: number[]): number[] => {
    const hidden = forward(tensors, names, measures, ids)
    return hidden[0]!.map((_, d) => hidden.reduce((sum, row) => sum + row[d]!, 0) / hidden.length)
  }

  test('encodes texts with their prefixes, up to the maximum length', async () => {
    const model = await openModel(folder)
    expect(model.maxTokens).toBe(longest)
    expect(model.tokenizer.encode(texts.at(-1)!).ids.length).toBe(longest)
    const encoder = await loadEncoder(folder, { threads: 1 })
    try {
      for (const [role, prefix] of [
        ['query', 'query: '],
        ['document', 'the '],
      ] as const) {
        const { data, dimensions } = await encoder.encode(texts, { role })
        texts.forEach((text, i) => {
          const row = data.subarray(i * dimensions, (i + 1) * dimensions)
          expectClose(row, expected(model.tokenizer.encode(prefix + text).ids))
        })
      }
    } finally {
      await encoder.close()
    }
  })

  test('encodes texts of unequal length in one batch', async () => {
    const model = asCheckpoint(await openModel(folder))
    const tokens = texts.map((text) => model.tokenizer.encode(text).ids)
    const rows = await runPadded(model, tokens)
    tokens.forEach((ids, i) => {
      expectClose(rows[i]!, expected(ids))
    })
  })

  test('gives nearly the same embeddings with 8 bits', async () => {
    const model = asCheckpoint(await openModel(folder))
    const ids = model.tokenizer.encode(texts[1]!).ids
    const [row] = await runPadded({ ...model, quantized: true }, [ids])
    const near = cosine(row!, Float32Array.from(expected(ids)))
    expect(near).toBeGreaterThan(0.98)
    expect(near).toBeLessThan(0.999999)
  })

  /** The embeddings of texts in one batch, the shorter ones padded to the longest length. */
  async function runPadded(model: ModelSource, tokens: number[][]): Promise<Float32Array[]> {
    const session = await InferenceSession.create((await buildModel(model, EMBEDDINGS)).toBytes())
    const padded = (of: (ids: number[], i: number) => number) => {
      const all = tokens.flatMap((ids) => Array.from({ length: longest }, (_, i) => of(ids, i)))
      return new Tensor('int64', BigInt64Array.from(all, BigInt), [tokens.length, longest])
    }
    const { [EMBEDDINGS]: found } = await session.run({
      input_ids: padded((ids, i) => ids[i] ?? 1),
      attention_mask: padded((ids, i) => (i < ids.length ? 1 : 0)),
    })
    const { hidden } = measures
    return tokens.map((_, i) => {
      return (found!.data as Float32Array).subarray(i * hidden, (i + 1) * hidden)
    })
  }
})

test('refuses an unknown family, and names the known families', async () => {
  const folder = writeFiles(join(output, 'unknown'), {
    'config.json': { model_type: 't5', architectures: ['T5EncoderModel'] },
    'model.safetensors': safetensors({}, 'F32'),
  })
  await expect(openModel(folder)).rejects.toThrow(
    'config.json: model_type must be one of bert, distilbert, roberta, xlm-roberta, mpnet, modernbert, nomic_bert, got "t5" (T5EncoderModel)',
  )
})

function expectClose(actual: Float32Array, expected: number[]): void {
  expect(actual.length).toBe(expected.length)
  expected.forEach((value, d) => {
    expect(Math.abs(actual[d]! - value)).toBeLessThan(1e-5)
  })
}
