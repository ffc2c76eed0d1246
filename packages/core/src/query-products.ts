import type { Products } from './kernel/engine.ts'
import { Lender } from './workspace.ts'

const lender = /* @__PURE__ */ new Lender()

/** Vectors that are looked at together; an engine has room for the similarities of all pairs. */
const BLOCK = 256

/**
 * The inner products of vectors of one length with the first of them, and with themselves. Where a
 * vector has a number that is not finite, so is its square.
 */
export function queryProducts(vectors: readonly Float32Array[]): Products {
  const toQuery = new Float64Array(vectors.length)
  const squares = new Float64Array(vectors.length)
  const [query] = vectors
  const dimensions = query?.length ?? 0
  lender.lend((workspace) => {
    const engine = workspace.engine()
    for (let from = 0; from < vectors.length; from += BLOCK) {
      const block = vectors.slice(from, from + BLOCK)
      const found = engine.products({
        count: block.length + 1,
        dimensions,
        copyTo(data, stride) {
          data.set(query!)
          block.forEach((vector, i) => {
            data.set(vector, (i + 1) * stride)
          })
        },
      })
      toQuery.set(found.toQuery.subarray(1), from)
      squares.set(found.squares.subarray(1), from)
    }
  })
  return { toQuery, squares }
}
