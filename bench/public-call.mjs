/** The public call beside onnxruntime's Gemm of the same Gram matrix, in the same rounds. */
import { presets, Reranker, rerank } from '@kith/core'
import { clusteredContext } from './clusters.mjs'
import { sideBySide } from './measure.mjs'
import { gemmSession } from './onnx-gemm.mjs'

/** Milliseconds of Gemm, of `rerank` and of `Reranker` with a matrix of so many candidates. */
export async function measurePublicCall(size, dimensions, rounds) {
  const inputs = Array.from({ length: size > 500 ? 6 : 40 }, (_, seed) => {
    const { query, candidates } = clusteredContext(size, dimensions, 1000 * size + seed)
    const flat = new Float32Array((size + 1) * dimensions)
    flat.set(query)
    for (const [i, row] of candidates.entries()) flat.set(row, (i + 1) * dimensions)
    return { query, flat, matrix: { data: flat.slice(dimensions), rows: size, dimensions } }
  })
  const settings = { ...presets['msmarco-tas-b'], contextSize: size }
  const reranker = new Reranker(settings)
  const gemm = await gemmSession(size + 1, dimensions)
  return sideBySide(
    {
      gemm: ({ flat }) => gemm(flat),
      call: ({ query, matrix }) => rerank(query, matrix, settings),
      reranker: ({ query, matrix }) => reranker.rerank(query, matrix),
    },
    inputs,
    rounds,
  )
}
