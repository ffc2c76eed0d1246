import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type EncoderOptions, loadEncoder } from '../src/index.ts'
import { forward, type Names } from './reference.ts'
import {
  bertConfig,
  bertNames,
  distilbertConfig,
  distilbertNames,
  extras,
  measures,
  randomWeights,
  vocabulary,
} from './small-models.ts'
import { safetensors, type Tensor, writeFiles } from './support.ts'

const output = temporaryFolder()
const texts = [
  '',
  'dense retrieval',
  'the query of a neighbor and the kith',
  'KITH zzz b',
  'a b c a b c',
]

interface Published {
  name: string
  config: object
  names: Names
  more: Record<string, Tensor>
  pooling: 'mean' | 'first'
}

/** The base models of the paper, and the spellings that older checkpoints have. */
const published: Published[] = [
  {
    name: 'TAS-B',
    config: distilbertConfig,
    names: distilbertNames('distilbert.'),
    more: extras('distilbert.', 'vocab_projector'),
    pooling: 'first',
  },
  {
    name: 'TAS-B without prefix',
    config: distilbertConfig,
    names: distilbertNames(''),
    more: {},
    pooling: 'first',
  },
  {
    name: 'CoCondenser',
    config: bertConfig,
    names: bertNames(''),
    more: extras('', 'cls.predictions'),
    pooling: 'first',
  },
  {
    name: 'CoCondenser with prefix',
    config: bertConfig,
    names: bertNames('bert.'),
    more: extras('bert.', 'cls.predictions'),
    pooling: 'first',
  },
  {
    name: 'RepBERT',
    config: bertConfig,
    names: bertNames('bert.'),
    more: extras('bert.', 'cls.predictions'),
    pooling: 'mean',
  },
  {
    name: 'a checkpoint of old',
    config: bertConfig,
    names: bertNames('bert.', true),
    more: extras('bert.', 'cls.predictions'),
    pooling: 'mean',
  },
]

describe.each(published)('$name', ({ name, config, names, more, pooling }) => {
  const tensors = randomWeights(names, name.length)
  const vocab = vocabulary.join('\n')
  const expected = texts.map((text) => expectedRow(tensors, names, text, pooling))

  test.each(['F32', 'BF16'] as const)(
    'computes the embeddings of the plain forward pass, %s',
    async (dtype) => {
      const folder = writeFiles(join(output, `${name} ${dtype}`), {
        'config.json': config,
        'vocab.txt': vocab,
        'model.safetensors': safetensors({ ...more, ...tensors }, dtype),
      })
      await expectRows(folder, { pooling }, expected)
    },
  )

  test('reads weights from two files', async () => {
    const [first, second] = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors']
    const keys = Object.keys(tensors)
    const half = (from: number, to: number) =>
      Object.fromEntries(keys.slice(from, to).map((key) => [key, tensors[key]!]))
    const folder = writeFiles(join(output, `${name} in two`), {
      'config.json': config,
      'vocab.txt': vocab,
      [first]: safetensors(half(0, 9), 'F32'),
      [second]: safetensors(half(9, keys.length), 'F32'),
      'model.safetensors.index.json': {
        metadata: {},
        weight_map: Object.fromEntries(keys.map((key, i) => [key, i < 9 ? first : second])),
      },
    })
    await expectRows(folder, { pooling }, expected)
  })
})

test('reads pooling, normalization and maximum length from sentence-transformers files', async () => {
  const names = bertNames('')
  const tensors = randomWeights(names, 5)
  const folder = writeFiles(join(output, 'modules'), {
    'config.json': bertConfig,
    'vocab.txt': vocabulary.join('\r\n'),
    'model.safetensors': safetensors(tensors, 'F32'),
    'modules.json': [
      { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
      { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
      { idx: 2, name: '2', path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
    ],
    '1_Pooling/config.json': { pooling_mode_cls_token: false, pooling_mode_mean_tokens: true },
    'sentence_bert_config.json': { max_seq_length: 5 },
  })
  const encoder = await loadEncoder(folder)
  try {
    expect(encoder.maxTokens).toBe(5)
    const { data, cut } = await encoder.encode(['a b c', 'a b c a b c'])
    expect(cut).toBe(1)
    expect(data.subarray(0, 16)).toEqual(data.subarray(16))
    const plain = expectedRow(tensors, names, 'a b c', 'mean')
    const length = Math.hypot(...plain)
    expectClose(
      data.subarray(0, 16),
      plain.map((value) => value / length),
    )
  } finally {
    await encoder.close()
  }
})

test('prefers options to the files, and adds prefixes to the texts', async () => {
  const names = bertNames('')
  const tensors = randomWeights(names, 6)
  const folder = writeFiles(join(output, 'options'), {
    'config.json': bertConfig,
    'vocab.txt': vocabulary.join('\n'),
    'model.safetensors': safetensors(tensors, 'F32'),
    'tokenizer_config.json': { model_max_length: 8 },
  })
  const options = { pooling: 'first', queryPrefix: 'query a ', documentPrefix: 'the ' } as const
  const encoder = await loadEncoder(folder, { ...options, maxTokens: 9 })
  try {
    expect(encoder.maxTokens).toBe(9)
    for (const [role, prefix] of [
      ['query', 'query a '],
      ['document', 'the '],
    ] as const) {
      const { data } = await encoder.encode(['dense b'], { role })
      expectClose(data, expectedRow(tensors, names, `${prefix}dense b`, 'first'))
    }
  } finally {
    await encoder.close()
  }
})

const torch = spawnSync('python3', ['-c', 'import torch, transformers']).status === 0
if (!torch) console.warn('skipped: python3 has no torch and transformers to compare with')

test.skipIf(!torch)('computes the embeddings of PyTorch', async () => {
  const tasks = published.map(({ name, config, names, more, pooling }) => {
    const folder = writeFiles(join(output, `${name} for torch`), {
      'config.json': config,
      'vocab.txt': vocabulary.join('\n'),
      'model.safetensors': safetensors({ ...more, ...randomWeights(names, 9) }, 'F32'),
    })
    return { folder, pooling, ids: texts.map(idsOf) }
  })
  const program = `
import json, sys, torch
from transformers import AutoModel
answers = []
for task in json.loads(sys.argv[1]):
    model = AutoModel.from_pretrained(task["folder"], attn_implementation="eager").eval()
    rows = []
    for ids in task["ids"]:
        with torch.no_grad():
            hidden = model(torch.tensor([ids])).last_hidden_state[0]
        rows.append((hidden[0] if task["pooling"] == "first" else hidden.mean(0)).tolist())
    answers.append(rows)
print(json.dumps(answers))
`
  const answer = spawnSync('python3', ['-c', program, JSON.stringify(tasks)], { encoding: 'utf8' })
  expect(answer.status, answer.stderr).toBe(0)
  const rows: number[][][] = JSON.parse(answer.stdout)
  for (const [i, { folder, pooling }] of tasks.entries()) {
    await expectRows(folder, { pooling }, rows[i]!)
  }
})

function expectedRow(
  tensors: Record<string, Tensor>,
  names: Names,
  text: string,
  pooling: 'mean' | 'first',
): number[] {
  const hidden = forward(tensors, names, measures, idsOf(text))
  if (pooling === 'first') return hidden[0]!
  return hidden[0]!.map((_, d) => hidden.reduce((sum, row) => sum + row[d]!, 0) / hidden.length)
}

/** The texts here have whole words of the vocabulary, or words that it lacks. */
function idsOf(text: string): number[] {
  const id = (token: string) => vocabulary.indexOf(token)
  const words = text
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '')
  return [id('[CLS]'), ...words.map((word) => (id(word) < 0 ? id('[UNK]') : id(word))), id('[SEP]')]
}

async function expectRows(
  folder: string,
  options: EncoderOptions,
  rows: number[][],
): Promise<void> {
  const encoder = await loadEncoder(folder, { ...options, threads: 1 })
  try {
    const { data, dimensions } = await encoder.encode(texts)
    expect(dimensions).toBe(measures.hidden)
    rows.forEach((row, i) => {
      expectClose(data.subarray(i * dimensions, (i + 1) * dimensions), row)
    })
  } finally {
    await encoder.close()
  }
}

function expectClose(actual: Float32Array, expected: number[]): void {
  expect(actual.length).toBe(expected.length)
  expected.forEach((value, d) => {
    expect(Math.abs(actual[d]! - value)).toBeLessThan(1e-4)
  })
}
