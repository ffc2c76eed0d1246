import { prepareText, Reranker, termStatistics } from '@kith/core'
import { distilTarget } from '@kith/core/internal'
import { clusteredContext } from './clusters.mjs'
import { median, table } from './measure.mjs'
import { passages } from './passages.mjs'

/**
 * Measures labels by the ranking of words and neighbors (`--target distil`): 200 candidates with
 * passages of 100 words, prepared as training prepares them. Each query is labeled once.
 *
 * @param steps Milliseconds of a step, by name.
 * @param batch Queries of a step.
 */
export function teacherLabels(steps, batch) {
  const inputs = Array.from({ length: 40 }, (_, i) => {
    const [text, ...texts] = passages(i, 200, 100).map((own) => prepareText(own))
    const { query: vector, candidates: vectors } = clusteredContext(200, 384, i)
    return { query: { vector, text }, candidates: { vectors, texts } }
  })
  const statistics = termStatistics(inputs.flatMap(({ candidates }) => candidates.texts))
  const reranker = new Reranker({ statistics })
  const times = inputs.map(({ query, candidates }) => {
    const start = performance.now()
    distilTarget(reranker.rerank(query, candidates).scores)
    return performance.now() - start
  })
  const each = median(times.slice(10))
  const rows = [
    ['step', 'labels of its queries', 'of the first epoch', 'over 10 epochs', 'at most'],
  ]
  for (const [name, step] of Object.entries(steps)) {
    const share = (batch * each) / step
    const parts = [share, share / 10].map((part) => `${(100 * part).toFixed(1)} %`)
    rows.push([name, `${(batch * each).toFixed(1)} ms`, ...parts, '10 %'])
  }
  console.log('\nTeacher labels, made once for each query\n')
  console.log(table(rows))
}
