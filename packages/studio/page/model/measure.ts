/** How deep the page measures. */
const CUTOFF = 10

/**
 * nDCG@10 as trec_eval has it (docs/method.md section 8): the grade as gain, log2(rank + 1) as discount.
 *
 * @param grades Of the ranked documents, best first; what nobody judged gains nothing.
 * @param ideal The highest grades of the query, descending.
 */
export function ndcg(grades: Iterable<number | undefined>, ideal: Iterable<number>): number {
  const best = gain(ideal)
  return best > 0 ? gain(grades) / best : 0
}

function gain(grades: Iterable<number | undefined>): number {
  let sum = 0
  let rank = 0
  for (const grade of grades) {
    if (++rank > CUTOFF) break
    if (grade !== undefined && grade > 0) sum += grade / Math.log2(rank + 1)
  }
  return sum
}
