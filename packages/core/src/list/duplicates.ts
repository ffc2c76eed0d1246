import type { Engine, Lists, Square } from '../kernel/engine.ts'
import type { Rows } from '../matrix.ts'
import { allFit } from '../method/vector-similarity.ts'
import type { PreparedText } from '../text/prepare-text.ts'

/** Candidates without duplicates of earlier candidates. */
export interface Folded {
  /** The candidates that are left, by their index. */
  kept: number[]
  /** The duplicates of each kept candidate, by the kept one's index. */
  duplicates: ReadonlyMap<number, number[]>
  /**
   * The inner products of the vectors that were compared, in the engine until it is released;
   * undefined if a ranking has to look at them again.
   */
  products: Square | undefined
}

/** The data that candidates are compared by. */
export interface Compared {
  count: number
  /** The vectors of the query and of the first candidates; undefined if there are none. */
  rows: Rows | undefined
  texts: readonly PreparedText[] | undefined
  /** The cosine from which on candidates are near-duplicates. */
  threshold: number
  /** Number of candidates to keep among the compared candidates; all later candidates are kept. */
  enough: number
}

/**
 * Folds candidates into the first one that they repeat: by the cosine of their vectors, or if their
 * texts have the same terms in the same order.
 */
export function foldDuplicates(
  engine: Engine,
  { count, rows, texts, threshold, enough }: Compared,
): Folded {
  const compared = rows ? compare(engine, rows) : notCompared
  const kept: number[] = []
  const duplicates = new Map<number, number[]>()
  const keys = new Float64Array(count)
  for (let i = 0; texts && i < count; i++) keys[i] = keyOf(texts[i]!)
  const folded = new Uint8Array(count)
  const candidates = { texts, keys, compared, folded }
  for (let index = 0; index < count; index++) {
    const first = kept.length >= enough ? undefined : firstLike(index, candidates, threshold)
    if (first === undefined) {
      kept.push(index)
      continue
    }
    folded[index] = 1
    const same = duplicates.get(first)
    if (same) same.push(index)
    else duplicates.set(first, [index])
  }
  const products = compared.regular ? compared.s : undefined
  return { kept, duplicates, products }
}

/** Inner products of rows, and their lengths; a row without a vector has an infinite length. */
interface ComparedRows {
  s: Square | undefined
  products: Lists<Float32Array>
  lengths: Float64Array
  /** Whether all lengths are such that float32 computes with their products; the products are cosines if not. */
  regular: boolean
}

/** Candidates of which only the texts are compared. */
const notCompared: ComparedRows = {
  s: undefined,
  products: { data: new Float32Array(0), stride: 0 },
  lengths: new Float64Array(0),
  regular: false,
}

function compare(engine: Engine, rows: Rows): ComparedRows {
  const s = engine.gram(rows)
  const lengths = s.diagonal()
  const regular = allFit(lengths)
  if (!regular) s.toCosines()
  for (let i = 0; i < lengths.length; i++) lengths[i] = regular ? Math.sqrt(lengths[i]!) : 1
  for (const row of rows.missing) lengths[row] = Infinity
  return { s, products: s.view(), lengths, regular }
}

/** A number that equal texts share and others rarely do, so that few texts are compared; 0 for an empty text. */
function keyOf({ postings }: PreparedText): number {
  return postings.length === 0 ? 0 : postings[0]! * 2 ** 20 + postings.length
}

/** Candidates, and what they are compared by. */
interface ComparedCandidates {
  texts: readonly PreparedText[] | undefined
  keys: Float64Array
  compared: ComparedRows
  folded: Uint8Array
}

/** The first kept candidate with the same text, or else the first with a cosine that reaches the threshold. */
function firstLike(
  index: number,
  { texts, keys, compared, folded }: ComparedCandidates,
  threshold: number,
): number | undefined {
  const { products, lengths } = compared
  const { data, stride } = products
  const key = keys[index]!
  const row = index + 1
  // Rows behind the first ones were not compared: nothing reaches NaN.
  const least = row < lengths.length ? threshold * lengths[row]! : Number.NaN
  const from = row * stride
  let similar: number | undefined
  for (let other = 0; other < index; other++) {
    if (keys[other] === key && key !== 0 && !folded[other]) {
      if (sameTerms(texts![other]!, texts![index]!)) return other
    }
    if (data[from + other + 1]! >= least * lengths[other + 1]! && similar === undefined) {
      if (!folded[other]) similar = other
    }
  }
  return similar
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
