import { Graph, operations as op } from '@kith/encoder/internal'
import { type InferenceSession, Tensor } from '@kith/encoder/runtime'
import type { DocumentVectors } from '../data/training-query.ts'
import { type DeviceOptions, openGraph } from '../graph/session.ts'
import { entropyOf } from '../losses.ts'
import { Denominators, type SoftmaxSet } from './denominators.ts'

/** Probabilities of documents, identified by row; they sum to 1. */
export interface Target {
  rows: ArrayLike<number>
  values: ArrayLike<number>
}

/** A term of a query's loss: the KL divergence of a target from the softmax over some documents. */
export interface LossPart {
  /** The weight of the divergence in the loss. */
  weight: number
  target: Target
  /**
   * The documents of the softmax: rows, which include the target's documents, or the whole corpus.
   */
  over: ArrayLike<number> | 'corpus'
}

/** A training query of an adapter. */
export interface AdapterQuery {
  id: string
  /** The query's embedding, of any length. */
  vector: Float32Array
  parts: readonly LossPart[]
  /** The first documents of a search: softmaxes over a sample of the corpus always include them. */
  retrieved: ArrayLike<number>
}

/** The data that an adapter is fitted to, and its shrinkage to the identity. */
export interface AdapterProblem {
  queries: readonly AdapterQuery[]
  documents: DocumentVectors
  /** T: the factor of inner products of unit-length queries with documents. */
  inverseTemperature: number
  /**
   * Λ: the weight of half the squared Frobenius norm of D, the matrix's difference from the
   * identity.
   */
  shrinkage: number
  /** Maximum number of documents for exact softmaxes over the corpus. */
  exact?: number | undefined
  seed?: number | undefined
}

/** Number of queries to compute together. */
const BLOCK = 512

/**
 * The objective of a linear adapter (docs/method.md section 7): with x′ the unit-length (I + D) x,
 * the sum over queries of KL(target ‖ softmax(T · ⟨x′, d⟩)), and Λ/2 · ‖D‖².
 */
export class AdapterObjective {
  readonly #problem: AdapterProblem
  readonly #dimensions: number
  readonly #embeddings: Float32Array
  /** The mean document of each query's targets, multiplied by their weights. */
  readonly #pulls: Float32Array
  /** The part of the objective that does not depend on D. */
  readonly #constant: number
  readonly #denominators: Denominators
  readonly #matrices: MatrixSession

  private constructor(
    problem: AdapterProblem,
    denominators: Denominators,
    matrices: MatrixSession,
  ) {
    const { queries, documents } = problem
    const { dimensions } = documents
    this.#problem = problem
    this.#dimensions = dimensions
    this.#denominators = denominators
    this.#matrices = matrices
    this.#embeddings = new Float32Array(queries.length * dimensions)
    this.#pulls = new Float32Array(queries.length * dimensions)
    let constant = 0
    queries.forEach(({ vector, parts }, q) => {
      this.#embeddings.set(vector, q * dimensions)
      const pull = this.#pulls.subarray(q * dimensions, (q + 1) * dimensions)
      for (const { weight, target } of parts) {
        addMean(pull, documents.gather(target.rows), target.values, weight)
        constant -= weight * entropyOf(Float64Array.from(target.values))
      }
    })
    this.#constant = constant
  }

  static async open(problem: AdapterProblem, device: DeviceOptions): Promise<AdapterObjective> {
    const { documents, exact, seed } = problem
    const denominators = await Denominators.open(documents, { exact, seed }, device)
    const matrices = await MatrixSession.open(documents.dimensions, device)
    return new AdapterObjective(problem, denominators, matrices)
  }

  /** Computes the objective; writes its gradient with respect to D to `gradient`. */
  async evaluate(change: Float32Array, gradient: Float32Array): Promise<number> {
    const { queries, shrinkage } = this.#problem
    const sums = new Float64Array(change.length)
    let value = this.#constant
    for (let from = 0; from < queries.length; from += BLOCK) {
      value += await this.#addBlock(from, Math.min(queries.length, from + BLOCK), change, sums)
    }
    let squares = 0
    for (let i = 0; i < change.length; i++) {
      squares += change[i]! * change[i]!
      gradient[i] = sums[i]! + shrinkage * change[i]!
    }
    return value + (shrinkage / 2) * squares
  }

  /**
   * Adds the gradient of a block of queries to the sums; returns their loss without its constant.
   */
  async #addBlock(
    from: number,
    to: number,
    change: Float32Array,
    sums: Float64Array,
  ): Promise<number> {
    const [dimensions, count] = [this.#dimensions, to - from]
    const { inverseTemperature: factor } = this.#problem
    const queries = this.#problem.queries.slice(from, to)
    const embeddings = this.#embeddings.subarray(from * dimensions, to * dimensions)
    const mapped = await this.#matrices.map(embeddings, change)
    const lengths = Float64Array.from({ length: count }, (_, q) => lengthOf(mapped, q, dimensions))
    // T · x′, the scaled queries of the softmaxes.
    const scaled = new Float32Array(mapped.length)
    for (let q = 0; q < count; q++) {
      const by = factor / lengths[q]!
      const end = (q + 1) * dimensions
      for (let i = q * dimensions; i < end; i++) scaled[i] = by * mapped[i]!
    }
    const slopes = new Float32Array(scaled.length)
    const sets = queries.flatMap(({ parts, retrieved }, query) =>
      parts.map(({ over, weight, target }): SoftmaxSet => {
        return { query, over, weight, near: [retrieved, target.rows] }
      }),
    )
    let value = await this.#denominators.add(sets, scaled, { number: from / BLOCK, slopes })
    for (let q = 0; q < count; q++) {
      const at = q * dimensions
      // Gradient by x′: T · (mean under the softmax − mean under the target). Only its component
      // orthogonal to x′ counts.
      let along = 0
      for (let i = at; i < at + dimensions; i++) {
        const pull = this.#pulls[from * dimensions + i]!
        value -= scaled[i]! * pull
        slopes[i] = factor * (slopes[i]! - pull)
        along += (slopes[i]! * scaled[i]!) / factor
      }
      for (let i = at; i < at + dimensions; i++) {
        slopes[i] = (slopes[i]! - (along * scaled[i]!) / factor) / lengths[q]!
      }
    }
    const products = await this.#matrices.outer(slopes, embeddings)
    for (let i = 0; i < products.length; i++) sums[i] = sums[i]! + products[i]!
    return value
  }

  async close(): Promise<void> {
    await this.#denominators.close()
    await this.#matrices.close()
  }
}

/** Matrix products with the query embeddings. */
class MatrixSession {
  readonly #map: InferenceSession
  readonly #outer: InferenceSession
  readonly #dimensions: number

  private constructor(map: InferenceSession, outer: InferenceSession, dimensions: number) {
    this.#map = map
    this.#outer = outer
    this.#dimensions = dimensions
  }

  static async open(dimensions: number, device: DeviceOptions): Promise<MatrixSession> {
    const map = new Graph()
    const x = map.input('queries', 'float32', ['queries', dimensions])
    const matrix = map.input('change', 'float32', [dimensions, dimensions])
    map.output('mapped', op.add(x, op.linear(x, matrix)))
    const outer = new Graph()
    const a = outer.input('slopes', 'float32', ['queries', dimensions])
    const b = outer.input('queries', 'float32', ['queries', dimensions])
    outer.output('products', op.matmul(op.transpose(a, [1, 0]), b))
    return new MatrixSession(
      await openGraph(map, device),
      await openGraph(outer, device),
      dimensions,
    )
  }

  /** Computes x + Dx for each row x. */
  async map(queries: Float32Array, change: Float32Array): Promise<Float32Array> {
    const { mapped } = await this.#map.run({
      queries: this.#rows(queries),
      change: this.#rows(change),
    })
    return mapped!.data as Float32Array
  }

  /** Computes the sum of the outer products of rows. */
  async outer(slopes: Float32Array, queries: Float32Array): Promise<Float32Array> {
    const feeds = { slopes: this.#rows(slopes), queries: this.#rows(queries) }
    return (await this.#outer.run(feeds))['products']!.data as Float32Array
  }

  async close(): Promise<void> {
    await this.#map.release()
    await this.#outer.release()
  }

  #rows(data: Float32Array): Tensor {
    return new Tensor('float32', data, [data.length / this.#dimensions, this.#dimensions])
  }
}

function lengthOf(rows: Float32Array, row: number, dimensions: number): number {
  let squares = 0
  for (let i = row * dimensions; i < (row + 1) * dimensions; i++) squares += rows[i]! * rows[i]!
  return Math.max(Math.sqrt(squares), 1e-12)
}

/** Adds the weighted mean of rows to a vector. */
function addMean(
  to: Float32Array,
  rows: Float32Array,
  values: ArrayLike<number>,
  weight: number,
): void {
  for (let row = 0; row < values.length; row++) {
    const share = weight * values[row]!
    for (let i = 0; i < to.length; i++) to[i] = to[i]! + share * rows[row * to.length + i]!
  }
}
