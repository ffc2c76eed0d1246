import { divide, reshape, sum, toFloat } from '../graph/arithmetic.ts'
import { gather, matmul, unitLength } from '../graph/blocks.ts'
import type { Value } from '../graph/graph.ts'

/** How tokens become an embedding: the mean of all tokens, or the first token ([CLS]). */
export type Pooling = 'mean' | 'first'

/** How hidden states become an embedding. */
export interface Head {
  pooling: Pooling
  /** Whether embeddings are scaled to length 1. */
  normalize: boolean
}

/**
 * Computes the embeddings of texts, batch × hidden.
 *
 * @param hidden The last hidden state, batch × length × hidden.
 * @param mask 1 for tokens, 0 for padding, batch × length.
 */
export function embeddings(hidden: Value, mask: Value, { pooling, normalize }: Head): Value {
  const pooled = pooling === 'first' ? first(hidden) : mean(hidden, mask)
  return normalize ? unitLength(pooled) : pooled
}

function first(hidden: Value): Value {
  return gather(hidden, hidden.graph.constant(BigInt64Array.of(0n)), 1)
}

function mean(hidden: Value, mask: Value): Value {
  const [batch, length, width] = hidden.shape as [string, string, number]
  const ones = toFloat(mask)
  const shares = divide(ones, sum(ones, 1))
  return reshape(matmul(reshape(shares, [batch, 1, length]), hidden), [batch, width])
}
