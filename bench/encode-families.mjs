/**
 * Every family of encoders beside onnxruntime by itself: random weights of six layers, exported to
 * ONNX by PyTorch, run by onnxruntime with all threads on batches that are sorted by length and
 * padded. Theirs is given token ids, ours texts. PyTorch, transformers and onnx are found by python3, in the
 * folders that KITH_TORCH names or by itself.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadEncoder, openModel } from '@kith/encoder'
import { InferenceSession, Tensor } from '@kith/encoder/runtime'
import { sideBySide, table } from './measure.mjs'
import { pythonWith, startPython } from './torch.mjs'

const ROUNDS = 3
/** Texts of a batch, as sentence-transformers has it. */
const PER_BATCH = 32
/** Texts of a round. */
const counts = { glosses: 128, abstracts: 64 }

const special = ['[CLS]', '[PAD]', '[SEP]', '[UNK]', '[MASK]']
const PAD = special.indexOf('[PAD]')
const sizes = {
  num_hidden_layers: 6,
  num_attention_heads: 12,
  hidden_size: 384,
  intermediate_size: 1536,
  max_position_embeddings: 512,
}
const afterPadding = { ...sizes, max_position_embeddings: 512 + PAD + 1 }
const ends = { bos_token_id: 0, cls_token_id: 0, eos_token_id: 2, sep_token_id: 2 }
const models = {
  BERT: { model_type: 'bert', ...sizes },
  DistilBERT: { model_type: 'distilbert', n_layers: 6, n_heads: 12, dim: 384, hidden_dim: 1536 },
  RoBERTa: { model_type: 'roberta', ...afterPadding, type_vocab_size: 1 },
  'XLM-RoBERTa': { model_type: 'xlm-roberta', ...afterPadding, type_vocab_size: 1 },
  MPNet: { model_type: 'mpnet', ...afterPadding },
  ModernBERT: { model_type: 'modernbert', ...sizes, ...ends, intermediate_size: 576 },
  'nomic-embed': { model_type: 'nomic_bert', ...sizes },
}

/** @param texts Glosses, and abstracts if they are available. */
export async function families(texts, threads) {
  const python = pythonWith('torch, transformers, onnx', threads)
  if (!python) {
    const missing = 'python3 lacks torch, transformers or onnx'
    console.log(
      `\nskipping the encoder families: ${missing}; install them, or set KITH_TORCH to their folder`,
    )
    return
  }
  const kinds = Object.keys(counts).filter((kind) => texts[kind])
  const inputs = Object.fromEntries(kinds.map((kind) => [kind, rounds(texts[kind], counts[kind])]))
  const vocabulary = [...special, ...wordsOf(Object.values(inputs).flat(2))]
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  const exporter = await startPython(python, 'encode-families.py', folder)
  const columns = kinds.flatMap((kind) => [`${kind}: ours`, 'onnxruntime', 'Kith is'])
  const rows = [['family', ...columns, 'at least', 'largest difference']]
  try {
    for (const [name, model] of Object.entries(models)) {
      const path = join(folder, model.model_type)
      const common = { vocab_size: vocabulary.length, pad_token_id: PAD, initializer_range: 0.05 }
      await exporter.ask(JSON.stringify({ folder: path, config: { ...model, ...common } }))
      writeFileSync(join(path, 'vocab.txt'), vocabulary.join('\n'))
      const { cells, apart } = await compare(path, inputs, threads)
      rows.push([name, ...cells, '1.0 ×', apart.toExponential(1)])
    }
  } finally {
    exporter.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const shape = '6 × 384, random weights'
  console.log(`\nEvery family, ${shape}, ${threads} threads, texts per second (median)\n`)
  console.log(table(rows))
  console.log(`"onnxruntime" runs the export of ${exporter.ready} in batches of ${PER_BATCH} texts`)
}

/** Texts per second of both and their ratio, for each kind of texts, and how far embeddings are apart. */
async function compare(folder, inputs, threads) {
  const encoder = await loadEncoder(folder, { pooling: 'mean', normalize: true, threads })
  const { tokenizer } = await openModel(folder, { pooling: 'mean' })
  const session = await InferenceSession.create(`${folder}.onnx`, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Threads that spin would take the cores from ours; without spinning theirs are no slower.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  const cells = []
  let apart = 0
  try {
    for (const texts of Object.values(inputs)) {
      const both = texts.map((texts) => {
        return { texts, tokens: texts.map((text) => tokenizer.encode(text).ids) }
      })
      apart = Math.max(apart, await difference(encoder, session, both[0]))
      const times = await sideBySide(
        {
          ours: ({ texts }) => encoder.encode(texts),
          theirs: ({ tokens }) => runPadded(session, tokens),
        },
        both,
        ROUNDS,
      )
      const rate = (time) => ((both[0].texts.length * 1000) / time).toFixed(1)
      const ratio = `${(times.theirs / times.ours).toFixed(2)} ×`
      cells.push(rate(times.ours), rate(times.theirs), ratio)
    }
  } finally {
    await encoder.close()
    await session.release()
  }
  return { cells, apart }
}

async function difference(encoder, session, { texts, tokens }) {
  const { data, dimensions } = await encoder.encode(texts)
  const rows = await runPadded(session, tokens)
  const apart = rows.map((row, text) =>
    row.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - data[text * dimensions + i])),
      0,
    ),
  )
  const largest = Math.max(...apart)
  if (!(largest < 1e-5)) throw new Error(`embeddings of Kith and onnxruntime differ by ${largest}`)
  return largest
}

/** The embeddings of texts by an exported model, in batches of about the same length. */
async function runPadded(session, tokens) {
  const order = [...tokens.keys()].sort((a, b) => tokens[a].length - tokens[b].length)
  const rows = []
  for (let from = 0; from < order.length; from += PER_BATCH) {
    const batch = order.slice(from, from + PER_BATCH)
    const length = tokens[batch.at(-1)].length
    const ids = new BigInt64Array(batch.length * length).fill(BigInt(PAD))
    const mask = new BigInt64Array(batch.length * length)
    batch.forEach((text, i) => {
      ids.set(tokens[text].map(BigInt), i * length)
      mask.fill(1n, i * length, i * length + tokens[text].length)
    })
    const shape = [batch.length, length]
    const { embeddings } = await session.run({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
    })
    const width = embeddings.dims[1]
    batch.forEach((text, i) => {
      rows[text] = embeddings.data.subarray(i * width, (i + 1) * width)
    })
  }
  return rows
}

/** Texts of each round and of the one before them. */
function rounds(texts, count) {
  return Array.from({ length: ROUNDS + 1 }, (_, round) => {
    return texts.slice(round * count, (round + 1) * count)
  })
}

/** A small vocabulary costs less to write, and nothing in the arithmetic. */
function wordsOf(texts) {
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z]+|\d+|[^\w\s]/g) ?? []))
}
