// Explain why a candidate moved: the parts of its score and the neighbors that it shares with the query.
import { explain } from '@kith/core'

/** Points on a sphere, nearest first: the first is alone, the next five are neighbors of each other. */
const points = [
  [0, 0],
  [-0.14, 0.12],
  [0.15, 0.13],
  [0.2, 0.02],
  [0.24, 0.12],
  [0.22, 0.22],
  [0.31, 0.05],
  [-0.3, 0.3],
  [-0.25, 0.36],
]
const [query, ...candidates] = points.map(([x, y]) => [x, y, Math.sqrt(1 - x * x - y * y)])
const settings = { k: 5, kExp: 1, lambda: 0.3 }
for (let index = 0; index < candidates.length; index++) {
  const why = explain(query, candidates, index, settings)
  const shared = why.shared.map(({ member }) => member)
  console.log(
    `candidate ${index}: rank ${why.rankBefore} → ${why.rankAfter}, similarity ${why.geometric.toFixed(2)}, neighborhood ${why.jaccard.toFixed(2)}, shared: ${shared.join(', ')}`,
  )
}
