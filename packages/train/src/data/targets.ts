import {
  KithError,
  type LabelSettings,
  type PartialLabelSettings,
  Reranker,
  resolveLabelSettings,
} from '@kith/core'
import { injectGroundTruth } from '@kith/core/internal'
import type { DocumentVectors, TrainingQuery } from './training-query.ts'

/** A query's candidates and their target probabilities. */
export interface TargetList {
  rows: Uint32Array
  /** The target of the first rows; all other rows have 0. */
  target: Float64Array
}

/**
 * A query's candidates (docs/method.md section 7): the labeled ones first, whether they
 * were retrieved or not, then the retrieved ones, up to the size of a list.
 */
export function candidatesOf(
  id: string,
  labeled: readonly number[],
  retrieved: ArrayLike<number>,
  listSize: number,
): Uint32Array {
  if (labeled.length === 0) {
    throw new KithError('BAD_INPUT', `query ${id} has no relevant document to learn from`)
  }
  // A list shorter than the labeled documents holds the first of them.
  const first = [...new Set(labeled)].slice(0, listSize)
  return Uint32Array.from(injectGroundTruth(first, new Set(Array.from(retrieved)), listSize))
}

/** Makes the target of a query, from its current embedding if `needsEmbedding` says so. */
export interface Labeler {
  readonly needsEmbedding: boolean
  label(query: TrainingQuery, embedding: Float32Array | undefined): TargetList
}

/** Targets that were made before training; without them, equal probability on the ground truth. */
export class FixedLabels implements Labeler {
  readonly needsEmbedding = false

  constructor(readonly listSize: number) {}

  label({ id, relevant, retrieved, labels }: TrainingQuery): TargetList {
    const values = labels ? Array.from(labels.values) : relevant.map(() => 1)
    const kept = (labels?.rows ?? relevant).filter((_, i) => values[i]! > 0)
    const rows = candidatesOf(id, kept, retrieved, this.listSize)
    const target = Float64Array.from(values.filter((value) => value > 0)).subarray(0, rows.length)
    const sum = target.reduce((total, value) => total + value, 0)
    return { rows, target: target.map((value) => value / sum) }
  }
}

/**
 * Targets from evidence (docs/method.md section 6), made for each batch from the context as
 * it is then: the query's current embedding and its current candidates.
 */
export class LiveLabels implements Labeler {
  readonly needsEmbedding: boolean
  readonly #settings: LabelSettings
  readonly #reranker = new Reranker()

  constructor(
    settings: PartialLabelSettings,
    readonly listSize: number,
    readonly documents: DocumentVectors,
  ) {
    this.#settings = resolveLabelSettings(settings)
    const { target, epsilon } = this.#settings
    this.needsEmbedding = !(
      target === 'one-hot' ||
      (target === 'uniform' && epsilon !== 'match-mixed')
    )
  }

  label(query: TrainingQuery, embedding: Float32Array | undefined): TargetList {
    const { id, retrieved } = query
    const { dimensions } = this.documents
    const relevant = query.relevant.slice(0, this.listSize)
    const grades = query.grades?.slice(0, this.listSize)
    const rows = candidatesOf(id, relevant, retrieved, this.listSize)
    // A context holds the whole ground truth: if that is more than contextSize, the context is larger.
    const size = Math.min(rows.length, Math.max(this.#settings.contextSize, relevant.length))
    const context = injectGroundTruth(relevant, rows, size)
    const data = new Float32Array(size * dimensions)
    if (this.needsEmbedding) this.documents.gather(context, data)
    const { kept, target } = this.#reranker.smoothLabels(
      embedding ?? new Float32Array(dimensions),
      { data, rows: size, dimensions },
      { candidates: [...relevant.keys()], grades },
      this.#settings,
    )
    const values = new Float64Array(size)
    kept.forEach((candidate, i) => {
      values[candidate] = target[i]!
    })
    return { rows, target: values }
  }
}
