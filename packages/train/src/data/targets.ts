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
  /** The target probabilities of the first rows; the other rows have probability 0. */
  target: Float64Array
}

/**
 * Returns a query's candidates (docs/method.md section 7): the labeled documents first, retrieved
 * or not, then the other retrieved documents, up to `listSize`.
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
  // If the list is shorter than the labeled documents, it holds the first labeled documents.
  const first = [...new Set(labeled)].slice(0, listSize)
  return Uint32Array.from(injectGroundTruth(first, new Set(Array.from(retrieved)), listSize))
}

/** Computes the target of a query, from its current embedding if `needsEmbedding` is true. */
export interface Labeler {
  readonly needsEmbedding: boolean
  label(query: TrainingQuery, embedding: Float32Array | undefined): TargetList
}

/**
 * Uses the targets that queries already have; without them, equal probabilities of the ground
 * truth.
 */
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
 * Computes evidence-based targets (docs/method.md section 6) for each batch, from the query's
 * current embedding and its current candidates.
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
    // A context holds the whole ground truth, even if that is larger than contextSize.
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
