/**
 * Exact search of 200,000 vectors of 768 numbers for the best 1,000 of 48
 * queries: ours on one worker and on two, beside numpy and onnxruntime's Gemm on
 * one thread. Times are from vectors in memory to sorted results.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import { InferenceSession, Tensor } from '@kith/encoder/runtime'
import { searchExact } from '@kith/stores'
import { generator } from './clusters.mjs'
import { sideBySide, table } from './measure.mjs'
import { runCodes } from './search-codes.mjs'

const DOCUMENTS = 200_000
const DIMENSIONS = 768
const QUERIES = 48
const TOP = 1000
const ROUNDS = 9

export async function run() {
  const documents = unitVectors(DOCUMENTS, 1)
  const inputs = Array.from({ length: ROUNDS }, (_, i) => ({
    round: i,
    queries: unitVectors(QUERIES, 2 + i).slice(),
  }))
  const ours =
    (workers) =>
    async ({ queries }) =>
      searchExact(
        { data: queries, rows: QUERIES, dimensions: DIMENSIONS },
        { rows: DOCUMENTS, dimensions: DIMENSIONS, memory: documents },
        { top: TOP, workers },
      )
  const onnx = await onnxSearch(documents)
  await checkEqual(await ours(2)(inputs[0]), await onnx(inputs[0]))
  const numpy = await numpySearch(documents, inputs)
  const spin = spinners()
  const contestants = { one: ours(1), two: ours(2), onnx, spinOne: spin(1), spinTwo: spin(2) }
  if (numpy) contestants.numpy = numpy.search
  const times = await sideBySide(contestants, inputs, ROUNDS)
  numpy?.close()
  spin.close()
  report(times, numpy?.name)
  await runCodes()
}

function report(times, numpyName) {
  const gigaflops = (time) => ((2 * DOCUMENTS * DIMENSIONS * QUERIES) / time / 1e6).toFixed(1)
  const line = (name, time, ratio, target) => [
    name,
    time.toFixed(0),
    gigaflops(time),
    ratio?.toFixed(2) ?? '',
    target,
  ]
  console.log(
    `\nExact search, ${DOCUMENTS} × ${DIMENSIONS}, ${QUERIES} queries, top ${TOP}, ms (median)\n`,
  )
  const rows = [
    ['search', 'ms', 'GFLOP/s', 'Kith is', 'at least'],
    line('one worker', times.one, undefined, ''),
    line('two workers', times.two, times.one / times.two, '1.7 × one'),
    line('onnxruntime Gemm + top-k', times.onnx, times.onnx / times.one, '0.7 ×'),
  ]
  if (numpyName) rows.push(line(numpyName, times.numpy, times.numpy / times.one, '0.6 ×'))
  console.log(table(rows))
  const cores = ((2 * times.spinOne) / times.spinTwo).toFixed(2)
  console.log(
    `Meanwhile, two threads of plain arithmetic did ${cores} times the work of one thread.`,
  )
  if (!numpyName)
    console.log('numpy is not installed (Debian: apt-get install python3-numpy libopenblas0)')
}

/** Random directions, on a buffer that worker threads can read. */
function unitVectors(rows, seed) {
  const random = generator(seed)
  const data = new Float32Array(new SharedArrayBuffer(rows * DIMENSIONS * 4))
  for (let from = 0; from < data.length; from += DIMENSIONS) {
    let square = 0
    for (let i = from; i < from + DIMENSIONS; i++) {
      data[i] = random() + random() - 1
      square += data[i] * data[i]
    }
    const inverse = 1 / Math.sqrt(square)
    for (let i = from; i < from + DIMENSIONS; i++) data[i] *= inverse
  }
  return data
}

/** Threads that only count: what the machine has to give to two workers at the moment. */
function spinners() {
  const source = `
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', () => {
      let x = 1
      for (let i = 0; i < 1e8; i++) x = (Math.imul(x, 1664525) + i) | 0
      parentPort.postMessage(x)
    })`
  const threads = [0, 1].map(() => new Worker(source, { eval: true }))
  const turn = (thread) =>
    new Promise((resolve) => {
      thread.once('message', resolve)
      thread.postMessage('')
    })
  const spin = (count) => () => Promise.all(threads.slice(0, count).map(turn))
  return Object.assign(spin, { close: () => threads.map((thread) => thread.terminate()) })
}

/** Both must find the same documents, except a few whose scores differ in the last bit. */
async function checkEqual({ rows }, theirs) {
  for (let q = 0; q < QUERIES; q++) {
    const found = new Set(theirs[q])
    const missing = rows.subarray(q * TOP, (q + 1) * TOP).filter((row) => !found.has(row))
    if (missing.length > 2) throw new Error(`query ${q}: ${missing.length} documents differ`)
  }
}

/** onnxruntime's Gemm on one thread, then the best of each row of scores. */
async function onnxSearch(shared) {
  const documents = Float32Array.from(shared)
  const session = await InferenceSession.create(gemmModel(), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  const b = new Tensor('float32', documents, [DOCUMENTS, DIMENSIONS])
  const s = new Tensor('float32', new Float32Array(QUERIES * DOCUMENTS), [QUERIES, DOCUMENTS])
  return async ({ queries }) => {
    await session.run({ a: new Tensor('float32', queries, [QUERIES, DIMENSIONS]), b }, { s })
    return Array.from({ length: QUERIES }, (_, q) =>
      best(s.data.subarray(q * DOCUMENTS, (q + 1) * DOCUMENTS)),
    )
  }
}

/** The best rows by a threshold that rises whenever twice as many are gathered. */
function best(scores) {
  const rows = []
  let threshold = -Infinity
  const cut = () => {
    rows.sort((a, b) => scores[b] - scores[a] || a - b)
    rows.length = TOP
    threshold = scores[rows[TOP - 1]]
  }
  for (let row = 0; row < scores.length; row++) {
    if (scores[row] > threshold && rows.push(row) >= 2 * TOP) cut()
  }
  cut()
  return rows
}

/** S = A·Bᵀ as a one-node ONNX model. */
function gemmModel() {
  const varint = (n) => (n > 127 ? [(n % 128) | 128, ...varint(Math.floor(n / 128))] : [n])
  const integer = (number, value) => [...varint(number << 3), ...varint(value)]
  const field = (number, bytes) => [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes]
  const text = (number, string) => field(number, [...Buffer.from(string)])
  const tensor = (name, shape) => {
    const dimensions = field(
      2,
      shape.flatMap((size) => field(1, integer(1, size))),
    )
    return [...text(1, name), ...field(2, field(1, [...integer(1, 1), ...dimensions]))]
  }
  const transB = [...text(1, 'transB'), ...integer(3, 1), ...integer(20, 2)]
  const node = [text(1, 'a'), text(1, 'b'), text(2, 's'), text(4, 'Gemm'), field(5, transB)].flat()
  const graph = [
    field(1, node),
    text(2, 'products'),
    field(11, tensor('a', [QUERIES, DIMENSIONS])),
    field(11, tensor('b', [DOCUMENTS, DIMENSIONS])),
    field(12, tensor('s', [QUERIES, DOCUMENTS])),
  ].flat()
  return Uint8Array.from([...integer(1, 8), ...field(7, graph), ...field(8, integer(2, 17))])
}

const PYTHON = `
import sys, numpy as np
documents, queries = np.load(sys.argv[1]), np.load(sys.argv[2])
blas = 'OpenBLAS' if 'openblas' in open('/proc/self/maps').read() else 'a BLAS that is not OpenBLAS'
print(f'numpy {np.__version__}, {blas}', flush=True)
for line in sys.stdin:
    scores = queries[int(line)] @ documents.T
    top = np.argpartition(-scores, ${TOP - 1}, axis=1)[:, :${TOP}]
    order = np.argsort(-np.take_along_axis(scores, top, 1), axis=1)
    rows = np.take_along_axis(top, order, 1)
    print('done', flush=True)
`

/** numpy on one thread in a process that stays, undefined if it is not installed. */
async function numpySearch(documents, inputs) {
  const python = ['python3', '/usr/bin/python3'].find(
    (name) => spawnSync(name, ['-c', 'import numpy']).status === 0,
  )
  if (!python) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  const files = ['documents.npy', 'queries.npy'].map((name) => join(folder, name))
  await writeNpy(files[0], [documents], [DOCUMENTS, DIMENSIONS])
  const all = inputs.map(({ queries }) => queries)
  await writeNpy(files[1], all, [inputs.length, QUERIES, DIMENSIONS])
  const child = spawn(python, ['-c', PYTHON, ...files], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1', OPENBLAS_CORETYPE: coreType() },
  })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const { value: name } = await answers.next()
  return {
    name,
    async search({ round }) {
      child.stdin.write(`${round}\n`)
      const { value } = await answers.next()
      if (value !== 'done') throw new Error('the numpy process failed')
    },
    close() {
      child.stdin.end()
      rmSync(folder, { recursive: true })
    },
  }
}

/** OpenBLAS does not know every virtual machine's processor, and then takes slow code. */
function coreType() {
  return /avx512f/.test(readFileSync('/proc/cpuinfo', 'latin1')) ? 'SkylakeX' : 'Haswell'
}

async function writeNpy(path, parts, shape) {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`
  const header = `${head.padEnd(117)}\n`
  const file = createWriteStream(path)
  file.write(Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0]))
  file.write(header)
  const chunk = 2 ** 24
  for (const part of parts) {
    for (let from = 0; from < part.length; from += chunk) {
      const { buffer, byteOffset, byteLength } = part.slice(from, from + chunk)
      await new Promise((resolve) =>
        file.write(Buffer.from(buffer, byteOffset, byteLength), resolve),
      )
    }
  }
  await new Promise((resolve) => file.end(resolve))
}
