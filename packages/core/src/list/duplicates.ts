import type { Engine, Lists } from '../kernel/engine.ts'
import type { Rows } from '../matrix.ts'
import { fits } from '../method/vector-similarity.ts'
import type { PreparedText } from '../text/prepare-text.ts'

/** Candidates without those that repeat an earlier one. */
export interface Folded {
  /** The candidates that are left, by their index. */
  kept: number[]
  /** The duplicates of each kept candidate, by the kept one's index. */
  duplicates: ReadonlyMap<number, number[]>
  /**
   * The inner products of the vectors that were compared; undefined if a ranking has to look at
   * them again.
   */
  products: (Lists<Float32Array> & { rows: number }) | undefined
}

/** The data that candidates are compared by. */
export interface Compared {
  count: number
  /** The vectors of the query and of the first candidates; undefined if there are none. */
  rows: Rows | undefined
  texts: readonly PreparedText[] | undefined
  /** The cosine from which on candidates are near-duplicates. */
  threshold: number
  /** How many candidates are to be left of those that are looked at; all behind them are kept. */
  enough: number
}

/**
 * Folds candidates into the first one that they repeat: by the cosine of their vectors, or where their
 * texts have the same terms in the same order.
 */
export function foldDuplicates(
  engine: Engine,
  { count, rows, texts, threshold, enough }: Compared,
): Folded {
  return engine.scoped(() => {
    const compared = rows && compare(engine, rows)
    const kept: number[] = []
    const duplicates = new Map<number, number[]>()
    const byLength = new Map<number, number[]>()
    for (let index = 0; index < count; index++) {
      const row = index + 1
      if (kept.length >= enough) {
        kept.push(index)
        continue
      }
      const length = texts ? texts[index]!.postings.length : 0
      const alike = length > 0 ? byLength.get(length) : undefined
      let first = alike?.find((other) => sameTerms(texts![other]!, texts![index]!))
      if (first === undefined && compared) first = firstSimilar(compared, row, kept, threshold)
      if (first === undefined) {
        kept.push(index)
        if (alike) alike.push(index)
        else byLength.set(length, [index])
      } else {
        const same = duplicates.get(first)
        if (same) same.push(index)
        else duplicates.set(first, [index])
      }
    }
    const products = compared?.regular ? { ...compared.products, rows: rows!.count } : undefined
    return { kept, duplicates, products }
  })
}

/** Inner products of rows, and their lengths; those of rows without a vector are infinite. */
interface ComparedRows {
  products: Lists<Float32Array>
  lengths: Float64Array
  /** Whether all lengths are such that float32 computes with their products; the products are cosines where not. */
  regular: boolean
}

function compare(engine: Engine, rows: Rows): ComparedRows {
  const s = engine.gram(rows)
  const squares = s.diagonal()
  const regular = squares.every(fits)
  if (!regular) s.toCosines()
  const lengths = Float64Array.from(squares, (square) => (regular ? Math.sqrt(square) : 1))
  for (const row of rows.missing) lengths[row] = Infinity
  return { products: s.copy(), lengths, regular }
}

/** The first kept candidate with a cosine that reaches the threshold. */
function firstSimilar(
  { products: { data, stride }, lengths }: ComparedRows,
  row: number,
  kept: readonly number[],
  threshold: number,
): number | undefined {
  // Rows behind the first ones were not compared.
  const length = lengths[row] ?? Infinity
  if (length === Infinity) return undefined
  const from = row * stride + 1
  for (let i = 0; i < kept.length; i++) {
    const other = kept[i]!
    if (data[from + other]! >= threshold * length * lengths[other + 1]!) return other
  }
  return undefined
}

/** Whether two texts have the same terms in the same order, as far as the order is known. */
function sameTerms(a: PreparedText, b: PreparedText): boolean {
  if ((a.titleTerms ?? 0) !== (b.titleTerms ?? 0) || !equal(a.postings, b.postings)) return false
  return !a.positions || !b.positions || equal(a.positions, b.positions)
}

function equal(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
