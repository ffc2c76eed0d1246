/** Every reader of Kith with a small valid file for it: what `fuzz.mjs` damages. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readTensorList, readTensors } from '@kith/base/safetensors'
import { readNouns } from '@kith/datasets'
import { openModel } from '@kith/encoder'
import { buildEncoder, readWeights } from '@kith/encoder/internal'
import {
  openEmbeddings,
  readLabels,
  readQrels,
  readRun,
  readTexts,
  writeEmbeddings,
} from '@kith/ir'
import {
  formatLabelsJson,
  readLabelsParquet,
  streamRankings,
  writeLabelsParquet,
} from '@kith/ir/internal'
import { readFolder, readKept, writeKept } from '@kith/pipelines/internal'
import { renderReport } from '@kith/report'
import { parseFigures } from '@kith/report/internal'
import { openAdapter, readMetrics } from '@kith/train'
import { readTuned } from '@kith/tune'
import { hostileMarkdown } from './hostile-markdown.mjs'
import { smallModel } from './small-model.mjs'

const values = Float32Array.from({ length: 60 }, (_, i) => Math.sin(i))
const ids = Array.from({ length: 10 }, (_, i) => `doc-${i}`)
const labels = [1, 2, 3].map((i) => ({
  query: `q${i}`,
  docs: ['doc-1', 'doc-2'],
  labels: [0.75, 0.25],
  evidence: [0.5, 0.125],
  groundTruth: ['doc-1'],
}))

/**
 * The readers: a name, a valid file (its bytes), what the file is called, and a function that reads
 * it completely. `folder` holds scratch files; other files that a reader needs stay undamaged. One
 * with `make` gets files that this makes from random numbers instead of damaged ones.
 */
export async function makeReaders(folder) {
  const path = (name) => join(folder, name)
  const readers = []
  const add = (name, bytes, read, file = name) => {
    readers.push({
      name,
      file: path(file),
      bytes: Buffer.from(bytes),
      read: () => read(path(file)),
    })
  }

  for (const ending of [
    'npy',
    'safetensors',
    'fvecs',
    'parquet',
    'jsonl',
    'npy.gz',
    'parquet.gz',
  ]) {
    const made = path(`made.${ending}`)
    await writeEmbeddings(made, { dimensions: 6, ids }, [values])
    add(`docs.${ending}`, readFileSync(made), readVectors)
  }
  writeFileSync(path('listed.npy'), readFileSync(path('made.npy')))
  add('ids of .npy', `${ids.join('\n')}\n`, () => readVectors(path('listed.npy')), 'listed.ids.txt')

  const rows = ['q1 doc-1 1 0.5', 'q1 doc-2 2 0.25', 'q2 doc-3 1 -1e-3'].map((row) =>
    row.split(' '),
  )
  const trec = rows.map(([q, d, rank, score]) => `${q} Q0 ${d} ${rank} ${score} kith\n`).join('')
  add('run.trec', trec, readRun)
  add('run.trec.gz', gzipSync(trec), readRun)
  add('run streamed', trec, (file) => drain(streamRankings(file)))
  add('run of MS MARCO', rows.map(([q, d, rank]) => `${q}\t${d}\t${rank}\n`).join(''), readRun)
  add('run.json', '{"q1":{"doc-1":0.5,"doc-2":0.25},"q2":{"doc-3":-1e-3}}', readRun)
  add('qrels.trec', 'q1 0 doc-1 1\nq1 0 doc-2 0\nq2 0 doc-3 2\n', readQrels)
  add('qrels.tsv', 'query-id\tcorpus-id\tscore\nq1\tdoc-1\t1\nq2\tdoc-3\t2\n', readQrels)

  const texts = (file) => drain(readTexts(file))
  add('corpus.jsonl', '{"_id":"d1","title":"A","text":"b c"}\n{"_id":"d2","text":"d"}\n', texts)
  add('corpus.tsv', 'd1\tb c\nd2\td\n', texts)
  const document = (id) =>
    `<DOC>\n<DOCNO>${id}</DOCNO>\n<TITLE>t</TITLE><TEXT>a &lt; b</TEXT>\n</DOC>\n`
  add('documents.sgml', document('d1') + document('d2'), texts)
  add('topics.sgml', '<top>\n<num> Number: 1\n<title> a b\n<desc> c\n</top>\n'.repeat(2), texts)

  add('labels.jsonl', labels.map(formatLabelsJson).join(''), (file) => drain(readLabels(file)))
  await writeLabelsParquet(path('made-labels.parquet'), asStream(labels))
  add('labels.parquet', readFileSync(path('made-labels.parquet')), async (file) => {
    await drain(await readLabelsParquet(file))
  })

  const heldOut = { gain: 0.1, t: 2, p: 0.05, ci: [0, 0.2] }
  const tuned = { kith: 'tuned', version: 1, verdict: 'tuned', heldOut, measure: 'nDCG@10' }
  add('tuned.json', JSON.stringify({ ...tuned, settings: { k: 9 } }), readTuned)
  const point = { step: 1, loss: 0.5, value: 0.25 }
  const figure = { kind: 'training', measure: 'nDCG@10', runs: [{ name: 'a', points: [point] }] }
  add('figures.json', JSON.stringify({ kith: 'figures', version: 1, figures: [figure] }), (file) =>
    renderReport({ title: 'x', figures: parseFigures(readFileSync(file, 'utf8'), file) }),
  )
  const step = {
    kind: 'step',
    step: 1,
    loss: 1,
    learningRate: 1e-5,
    norm: 1,
    milliseconds: 2,
    labelShare: 0,
  }
  const measures = { 'nDCG@10': 0.5 }
  const validation = { kind: 'validation', step: 1, loss: 1, measures }
  add('metrics.jsonl', `${JSON.stringify(step)}\n${JSON.stringify(validation)}\n`, readMetrics)

  await addFolder(readers, folder)
  addModel(readers, folder)
  const noun = '00001740 03 n 01 entity 0 002 ~ 00001930 n 0000 ~ 00002137 n 0000 | that which is\n'
  mkdirSync(path('wordnet'), { recursive: true })
  add('data.noun', noun, () => readNouns(path('wordnet')), 'wordnet/data.noun')
  return readers
}

/** A folder of notes with one Markdown file, which is damaged or hostile, and its kept embeddings. */
async function addFolder(readers, folder) {
  const notes = join(folder, 'notes')
  mkdirSync(notes, { recursive: true })
  const file = join(notes, 'note.md')
  const bytes = Buffer.from(
    '# Bees\n\nBees find flowers.\n\n## Winter\n\n```sh\n# no heading\n```\n',
  )
  const read = () => readNotes(notes)
  readers.push({ name: 'Markdown of a folder', file, bytes, read })
  readers.push({ name: 'hostile Markdown', file, bytes, make: hostileMarkdown, read })

  const kept = join(folder, 'kept.vectors')
  const vectors = new Map(
    ids.map((_, i) => [String(i).repeat(64), values.subarray(6 * i, 6 * i + 6)]),
  )
  await writeKept(kept, vectors)
  readers.push({
    name: 'kept embeddings',
    file: kept,
    bytes: readFileSync(kept),
    async read() {
      const found = await readKept(kept, new Set(vectors.keys()), 6)
      for (const [key, vector] of found.vectors) {
        if (!Buffer.from(vector.buffer).equals(Buffer.from(vectors.get(key).slice().buffer))) {
          throw new Error('an embedding came through that was not kept')
        }
      }
    },
  })
}

/** The passages of a folder, which must stay within a multiple of its file's size. */
async function readNotes(notes) {
  const passages = await readFolder(notes, {})
  if (passages.length > 10_000) throw new Error(`${passages.length} passages of one file`)
  for (const { id, title, text } of passages) {
    if (title.length > 6 * 203) throw new Error(`${id} has a title of ${title.length} characters`)
    if (text.trim() === '') throw new Error(`${id} is empty`)
  }
  if (new Set(passages.map(({ id }) => id)).size < passages.length) throw new Error('ids twice')
}

/** The files of a model folder, damaged one at a time. */
function addModel(readers, folder) {
  for (const name of ['config.json', 'modules.json', 'tokenizer.json', 'model.safetensors']) {
    const model = join(folder, `model-${name}`)
    const files = smallModel()
    mkdirSync(join(model, '1_Pooling'), { recursive: true })
    for (const [other, bytes] of Object.entries(files)) writeFileSync(join(model, other), bytes)
    readers.push({
      name: `${name} of a model`,
      file: join(model, name),
      bytes: Buffer.from(files[name]),
      read: () => readModel(model),
    })
  }
  const adapter = join(folder, 'adapter')
  mkdirSync(adapter, { recursive: true })
  const data = new Float32Array(16)
  const header = Buffer.from(
    JSON.stringify({
      __metadata__: { format: 'pt', kind: 'linear', normalize: 'false' },
      'up.weight': { dtype: 'F32', shape: [4, 4], data_offsets: [0, 64] },
    }),
  )
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  const file = join(adapter, 'adapter.safetensors')
  const bytes = Buffer.concat([length, header, Buffer.from(data.buffer)])
  readers.push({ name: 'adapter.safetensors', file, bytes, read: () => openAdapter(adapter) })
  const tensors = join(folder, 'tensors.safetensors')
  readers.push({
    name: 'tensors of a checkpoint',
    file: tensors,
    bytes,
    read: async () => readTensors(tensors, await readTensorList(tensors)),
  })
}

/** A model is read up to the graph that its weights go into; no session is started. */
async function readModel(folder) {
  const model = await openModel(folder)
  model.tokenizer.encode('dense retrieval')
  const { graph } = buildEncoder(model.config)
  await readWeights(model.files.weights, graph.parameters)
}

async function readVectors(file) {
  const embeddings = await openEmbeddings(file, { memory: 1 << 24 })
  try {
    const read = embeddings.read(0, embeddings.rows)
    if (!read.every(Number.isFinite)) throw new Error('a number that is not finite came through')
    for (let row = 0; row < Math.min(embeddings.rows, 100); row++) embeddings.idOf(row)
  } finally {
    await embeddings.close()
  }
}

async function drain(entries) {
  for await (const _ of entries);
}

async function* asStream(entries) {
  yield* entries
}
