/** Section 4: s_J(probe, c) = Σ min / Σ max of the neighbor vectors, for all rows c; 0 / 0 is 0. */
export function jaccardTo(v: Float32Array, rows: number, probe: number): Float32Array {
  const own = v.subarray(probe * rows, (probe + 1) * rows)
  return Float32Array.from({ length: rows }, (_, c) => {
    let smaller = 0
    let larger = 0
    for (let j = 0; j < rows; j++) {
      const theirs = v[c * rows + j]!
      smaller += Math.min(own[j]!, theirs)
      larger += Math.max(own[j]!, theirs)
    }
    return larger > 0 ? smaller / larger : 0
  })
}
