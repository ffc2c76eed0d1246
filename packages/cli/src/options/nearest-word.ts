/**
 * Finds the known word that a mistyped word probably means. A word matches with at most one edit
 * per three letters and at most two edits in total; swapping two adjacent letters counts as one
 * edit. Without a match, returns the only known word that begins with the given word, or undefined.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined
  let least = Math.min(2, Math.floor(word.length / 3))
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > least) continue
    const edits = editsBetween(word, candidate)
    if (edits > least || (edits === least && nearest !== undefined)) continue
    nearest = candidate
    least = edits
  }
  const longer = known.filter((candidate) => word.length > 1 && candidate.startsWith(word))
  return nearest ?? (longer.length === 1 ? longer[0] : undefined)
}

/** Counts the letters to insert, delete, replace or swap to turn one word into the other. */
function editsBetween(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + Number(a[i - 1] !== b[j - 1])
      const edits = Math.min(replaced, above[j]! + 1, row[j - 1]! + 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(swapped ? Math.min(edits, before[j - 2]! + 1) : edits)
    }
    before = above
    above = row
  }
  return above[b.length]!
}
