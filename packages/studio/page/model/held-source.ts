import { termStatistics, termStatisticsToBytes } from '@kith/core'
import { searchEntries } from '../../src/search-entries.ts'
import {
  type HeldCollection,
  type HeldQuery,
  type StudioContext,
  type StudioDocument,
  wordsOf,
} from '../../src/studio-wire.ts'
import type { DataSource } from './source.ts'

/** The data of a collection that the page holds, in the form of a server's answers. */
export function heldSource(collection: HeldCollection): DataSource {
  const { info, queries, documents, statistics } = collection
  const places = new Map(queries.map(({ query }, place) => [query.id, place]))
  const entries = new Map(documents.map((entry) => [entry.id, entry]))
  return {
    info: async () => info,
    queries: async (search) =>
      searchEntries(
        queries.map(({ query }) => query),
        search,
      ),
    judged: async () => queries.filter(({ judged }) => judged).map(({ query }) => query.id),
    documents: async (ids) => ids.map((id) => entries.get(id) ?? { id }),
    statistics: async (tokenizer) =>
      statistics?.[tokenizer] ??
      termStatisticsToBytes(termStatistics(documents.map(wordsOf), { tokenizer })),
    context: async (query) => {
      const place = places.get(query)
      if (place === undefined) throw new Error(`there is no query ${JSON.stringify(query)}`)
      return contextAt(collection, place)
    },
    textContext: async () => {
      throw new Error('Free text needs an encoder: kith studio --model')
    },
  }
}

/** The context of a query, whole: nothing is saved by leaving a part of it out. */
function contextAt({ queries, documents, vectors }: HeldCollection, place: number): StudioContext {
  const { documents: members, scores, grades, judged, ...rest }: HeldQuery = queries[place]!
  const graded = new Map(grades)
  const { data, dimensions } = vectors
  const rows = [place, ...members.map((member) => queries.length + member)]
  const own = new Float32Array(rows.length * dimensions)
  rows.forEach((row, i) => {
    own.set(data.subarray(row * dimensions, (row + 1) * dimensions), i * dimensions)
  })
  return {
    ...rest,
    documents: members.map(
      (member, i): StudioDocument => ({
        ...documents[member]!,
        score: scores[i],
        grade: graded.get(i),
      }),
    ),
    vectors: { data: own, rows: rows.length, dimensions },
  }
}
