/** Runs of one tokenizer: BM25 over the whole corpus, and Kith's default over the hits of a run. */
import { prepareText, rerank, termStatistics } from '@kith/core'
import { compare, evaluate, RunBuilder, readTexts } from '@kith/ir'
import { holm } from '@kith/ir/internal'
import { WordsIndex } from './bm25.mjs'

/**
 * Measures both runs by nDCG@10. `textOf` gives the text of a document, `vectors` the embeddings by id.
 */
export function measureTokenizer(tokenizer, { ids, textOf, queries, run, vectors, qrels }) {
  const texts = new Map(ids.map((id) => [id, prepareText(textOf(id), { tokenizer })]))
  const statistics = termStatistics(texts.values(), { tokenizer })
  const index = new WordsIndex([...texts.values()].map(({ postings }) => postings))
  const [found, reranked] = [new RunBuilder(), new RunBuilder()]
  for (const [query, text] of queries) {
    const asked = prepareText(text, { tokenizer })
    const scores = index.scores(asked.postings)
    const rows = [...scores.keys()].filter((row) => scores[row] > 0)
    rows.sort((a, b) => scores[b] - scores[a] || a - b)
    const best = rows.slice(0, 10).map((row) => ids[row])
    add(found, query, best)
    const hits = run.get(query).ids
    const { order } = rerank(
      { vector: vectors.query(query), text: asked },
      {
        vectors: hits.map((id) => vectors.document(id)),
        texts: hits.map((id) => texts.get(id)),
      },
      { tokenizer, statistics },
    )
    const ranked = Array.from(order, (i) => hits[i])
    add(reranked, query, ranked)
  }
  const judge = (builder) => evaluate(qrels, builder.finish(), ['nDCG@10'])
  return { bm25: judge(found), kith: judge(reranked) }
}

/** Prints a table of measured tokenizers, each compared with the first one (Holm's p over the rows). */
export function printTokenizers(head, names, measured) {
  console.log(`| ${head} | BM25 | t | p | Kith | t | p |\n|---|---|---|---|---|---|---|`)
  const cells = ['bm25', 'kith'].map((kind) => {
    const [first, ...others] = measured.map((row) => row[kind])
    const compared = others.map((row) => compare(first, row, 'nDCG@10'))
    const corrected = holm(compared.map(({ tTest }) => tTest))
    return measured.map((row, i) => [
      row[kind].mean['nDCG@10'].toFixed(4),
      i === 0 ? '' : compared[i - 1].t.toFixed(1),
      i === 0 ? '' : corrected[i - 1] < 0.0001 ? '< 0.0001' : corrected[i - 1].toFixed(4),
    ])
  })
  names.forEach((name, i) => {
    console.log(`| ${[name, ...cells[0][i], ...cells[1][i]].join(' | ')} |`)
  })
}

/** The texts of a file by id, each with its title before it. */
export async function textsOf(file) {
  const texts = new Map()
  for await (const { id, title, text } of readTexts(file)) {
    texts.set(id, title ? `${title} ${text}` : text)
  }
  return texts
}

/** Adds a ranking to a run, best first; a query without hits has none. */
function add(builder, query, ids) {
  if (ids.length > 0) builder.add({ query, ids, scores: ids.map((_, place) => -place) })
}
