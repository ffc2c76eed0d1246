import { IdIndex, type SharedIndex } from '../io/id-index.ts'
import { IdList, type SharedIds } from '../io/id-list.ts'
import type { Qrels } from './qrels.ts'

/** Judgments on memory that worker threads can share. */
export interface SharedQrels {
  queries: SharedIndex
  /** Where each query's judgments begin, and at last where the last one's end. */
  starts: Uint32Array
  documents: SharedIds
  grades: Float64Array
}

/** Puts judgments on shared memory. */
export function shareQrels(qrels: Qrels): SharedQrels {
  const queries = new IdList()
  const index = new IdIndex(queries, qrels.size)
  const documents = new IdList()
  const starts = new Uint32Array(new SharedArrayBuffer((qrels.size + 1) * 4))
  const grades: number[] = []
  for (const [query, judged] of qrels) {
    queries.pushText(query)
    index.add(queries.length - 1)
    for (const [document, grade] of judged) {
      documents.pushText(document)
      grades.push(grade)
    }
    starts[queries.length] = grades.length
  }
  const shared = new Float64Array(new SharedArrayBuffer(grades.length * 8))
  shared.set(grades)
  return { queries: index.share(), starts, documents: documents.share(), grades: shared }
}

/** The judgments of single queries, from judgments that another thread shares. */
export function sharedQrels({
  queries,
  starts,
  documents,
  grades,
}: SharedQrels): Pick<Qrels, 'get'> {
  const index = IdIndex.over(queries)
  const ids = IdList.over(documents)
  const wanted = new IdList()
  return {
    get(query) {
      wanted.clear()
      wanted.pushText(query)
      const found = index.find(wanted, 0)
      if (found < 0) return undefined
      const judged = new Map<string, number>()
      for (let i = starts[found]!; i < starts[found + 1]!; i++) judged.set(ids.get(i), grades[i]!)
      return judged
    },
  }
}
