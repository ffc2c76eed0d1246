import type { RunColumns } from '@kith/ir/internal'
import type { NewOrder } from '../rerank/rerank-slice.ts'

/**
 * Encodes an order as bytes, for a batch's results: positions, scores, and some of the further
 * columns. An order without positions is one byte, since an empty result means the old ranking.
 */
export function encodeOrder(
  { places, scores, columns }: NewOrder,
  names: readonly (keyof RunColumns)[],
): Buffer {
  if (places.length === 0) return Buffer.of(0)
  return Buffer.concat(
    [places, scores, ...names.map((name) => columns[name]!)].map((list) =>
      Buffer.from(list.buffer, list.byteOffset, list.byteLength),
    ),
  )
}

/**
 * Decodes an order; undefined if the bytes are not an order of this many candidates.
 *
 * @param names The further columns in the bytes.
 */
export function decodeOrder(
  body: Uint8Array,
  candidates: number,
  names: readonly (keyof RunColumns)[],
): NewOrder | undefined {
  const bytes = new Uint8Array(body).buffer
  const count = bytes.byteLength === 1 ? 0 : bytes.byteLength / (8 + 4 * names.length)
  if (!Number.isInteger(count)) return undefined
  const places = new Uint32Array(bytes, 0, count)
  const sound =
    places.every((place) => place < candidates) && new Set(places).size === places.length
  if (!sound) return undefined
  const [scores, ...more] = ['score', ...names].map(
    (_, i) => new Float32Array(bytes, 4 * count * (i + 1), count),
  )
  const columns = Object.fromEntries(names.map((name, i) => [name, more[i]!]))
  return { places, scores: scores!, columns }
}
