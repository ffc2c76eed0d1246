/**
 * CPU time of the public calls, compared with onnxruntime's Gemm for the Gram matrix alone; each is
 * called many times in a row. `bench/rerank.mjs` runs them in turn, call by call: Gemm, which wakes
 * a separate thread, then takes up to twice as long, and the ratios are lower.
 */
import { Reranker, rerank } from '@kith/core'
import { clusteredContext } from './clusters.mjs'
import { inARow, table } from './measure.mjs'
import { gemmSession } from './onnx-gemm.mjs'

const DIMENSIONS = 768
const sizes = {
  60: { inputs: 40, calls: 100, batches: 40, most: '1.35' },
  200: { inputs: 40, calls: 20, batches: 30, most: '1.30' },
  1000: { inputs: 4, calls: 4, batches: 10, most: '1.30' },
}

export async function comparePublicCalls() {
  const rows = [['N', 'Gemm', 'call', 'ms', '× Gemm', 'at most']]
  for (const [size, { most }] of Object.entries(sizes)) {
    const times = await measurePublicCall(Number(size))
    const { gemm: own, ...others } = times
    for (const [call, time] of Object.entries(others)) {
      const goal = call.endsWith('matrix') ? most : ''
      const ratio = (time / own).toFixed(2)
      rows.push([size, own.toFixed(3), call, time.toFixed(3), ratio, goal])
    }
  }
  console.log(
    `\nThe public calls, ms of CPU time per query (default settings, d = ${DIMENSIONS}, each in a row, medians)\n`,
  )
  console.log(table(rows))
}

/** Milliseconds of CPU time of Gemm and of each call, with this many candidates. */
export async function measurePublicCall(size) {
  const { inputs, calls, batches } = sizes[size]
  const settings = { contextSize: size }
  const reranker = new Reranker(settings)
  const gemm = await gemmSession(size + 1, DIMENSIONS)
  return inARow(
    {
      gemm: ({ flat }) => gemm(flat),
      'rerank, matrix': ({ query, matrix }) => rerank(query, matrix, settings),
      'Reranker, matrix': ({ query, matrix }) => reranker.rerank(query, matrix),
      'Reranker, arrays': ({ query, candidates }) => reranker.rerank(query, candidates),
    },
    Array.from({ length: inputs }, (_, i) => input(size, 1000 * size + i)),
    { calls, batches },
  )
}

function input(size, seed) {
  const { query, candidates } = clusteredContext(size, DIMENSIONS, seed)
  const flat = new Float32Array((size + 1) * DIMENSIONS)
  flat.set(query)
  candidates.forEach((row, r) => {
    flat.set(row, (r + 1) * DIMENSIONS)
  })
  const matrix = { data: flat.slice(DIMENSIONS), rows: size, dimensions: DIMENSIONS }
  return { query, candidates, flat, matrix }
}
