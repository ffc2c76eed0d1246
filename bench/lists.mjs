/**
 * Measures the cost of collapsing duplicates, of groups, priors and estimated relevance beside
 * reranking 50 passages of 100 words, from prepared texts.
 */
import { background, prepareText, Reranker, shortlist, termStatistics } from '@kith/core'
import { clusteredContext } from './clusters.mjs'
import { sideBySide, table } from './measure.mjs'
import { englishPassages } from './passages.mjs'

const PASSAGES = 50

/** Milliseconds of reranking, of lists, and of lists with estimated relevance. */
export async function measureLists(rounds = 1000) {
  const write = await englishPassages()
  const inputs = Array.from({ length: 100 }, (_, seed) => {
    const [text, ...texts] = write(seed, PASSAGES, 100).map((own) => prepareText(own))
    const { query: vector, candidates: vectors } = clusteredContext(PASSAGES, 384, seed)
    return [
      { vector, text },
      { vectors, texts },
    ]
  })
  const statistics = termStatistics(inputs.flatMap(([, { texts }]) => texts))
  const known = background(inputs.flatMap(([, { vectors }]) => vectors).slice(0, 1000))
  const groups = Array.from({ length: PASSAGES }, (_, i) => i >> 1)
  const priors = groups.map((_, i) => i % 7)
  const reranker = new Reranker({ statistics })
  const lists = { statistics, collapse: 0.95, groups, priors }
  return sideBySide(
    {
      rerank: (input) => reranker.rerank(...input),
      plain: (input) => shortlist(...input, { statistics }),
      lists: (input) => shortlist(...input, lists),
      estimated: (input) => shortlist(...input, { ...lists, background: known, cutoff: 'auto' }),
    },
    inputs,
    rounds,
  )
}

export async function compareLists() {
  const times = await measureLists()
  const row = (name, time, most = '') => [
    name,
    time.toFixed(3),
    (time / times.rerank).toFixed(2),
    most,
  ]
  console.log(`\nLists of ${PASSAGES} passages of 100 words, ms per query (medians)\n`)
  console.log(
    table([
      ['', 'ms', '× rerank', 'at most'],
      row('rerank', times.rerank),
      row('shortlist', times.plain),
      row('with collapse, groups and priors', times.lists, '1.15'),
      row('and estimated relevance', times.estimated),
    ]),
  )
}
