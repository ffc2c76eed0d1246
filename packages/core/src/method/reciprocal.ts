/** Section 2: R(i, n), the rows among i's first n + 1 that have i among theirs, for every i. */
export function reciprocalSets(rank: readonly Uint32Array[], n: number): Set<number>[] {
  const first = rank.map((row) => new Set(row.subarray(0, n + 1)))
  return first.map((row, i) => new Set([...row].filter((j) => first[j]!.has(i))))
}

/**
 * Section 2: R*(i) for every i. `trust` is τ, `overlap` is o.
 *
 * A set extends R(i) when more than o of it lies in R(i): strictly more, and
 * always compared with R(i), never with the set that is growing.
 */
export function extendedSets(
  rank: readonly Uint32Array[],
  k: number,
  trust: number,
  overlap: number,
): Set<number>[] {
  const reciprocal = reciprocalSets(rank, k)
  if (trust === 0) return reciprocal
  const closer = reciprocalSets(rank, trustedCount(trust, k))
  return reciprocal.map((own) => {
    const extended = new Set(own)
    for (const c of own) {
      const theirs = closer[c]!
      const shared = [...theirs].filter((j) => own.has(j)).length
      if (shared > overlap * theirs.size) for (const j of theirs) extended.add(j)
    }
    return extended
  })
}

/** t of section 2: τ · (k + 1) rounded half to even, plus 1, at most k. */
export function trustedCount(trust: number, k: number): number {
  return Math.min(k, roundHalfToEven(trust * (k + 1)) + 1)
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value)
  const rest = value - below
  if (rest !== 0.5) return Math.round(value)
  return below % 2 === 0 ? below : below + 1
}
