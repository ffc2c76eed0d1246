/**
 * Tokens of a batch. Matrix products are as fast from 64 tokens on, and slower again
 * when a batch no longer fits the cache: see ARCHITECTURE.md.
 */
const BATCH_TOKENS = 512

/** Texts that run together, all of them equally long. */
export interface Batch {
  /** Which texts, by their place in the list. */
  texts: number[]
  length: number
}

/**
 * Puts texts of the same length together. So there is no padding, and no text's
 * embedding depends on its company. The longest come first: what is left at the end,
 * when some threads have nothing more to do, is short.
 *
 * @param most Texts of a batch, at most.
 */
export function planBatches(lengths: ArrayLike<number>, most = BATCH_TOKENS): Batch[] {
  const byLength = new Map<number, number[]>()
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i]!
    const texts = byLength.get(length)
    if (texts) texts.push(i)
    else byLength.set(length, [i])
  }
  const batches: Batch[] = []
  for (const [length, texts] of [...byLength].sort(([a], [b]) => b - a)) {
    const size = Math.max(1, Math.min(most, Math.floor(BATCH_TOKENS / length)))
    for (let from = 0; from < texts.length; from += size) {
      batches.push({ texts: texts.slice(from, from + size), length })
    }
  }
  return batches
}
