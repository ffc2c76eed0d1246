import type { Matrix } from '@kith/core'
import type { TextEntry } from '@kith/ir'
import { type Metric, searchExact } from '@kith/stores'
import type { SearchStore } from '@kith/stores/internal'

/** Passages and their embeddings in memory as a store: exact search. */
export function passageStore(
  passages: readonly TextEntry[],
  { data, rows, dimensions }: Matrix,
  metric: Metric,
): SearchStore {
  const places = new Map(passages.map(({ id }, place) => [id, place]))
  const vectorAt = (place: number) => data.slice(place * dimensions, (place + 1) * dimensions)
  return {
    dimensions,
    metric,
    async search(queries, { top, vectors }) {
      const found = await searchExact(queries, { memory: data, rows, dimensions }, { top, metric })
      return Array.from({ length: queries.rows }, (_, q) => {
        const range = [q * found.perQuery, (q + 1) * found.perQuery] as const
        const own = Array.from(found.rows.subarray(...range))
        const all = new Float32Array(vectors ? own.length * dimensions : 0)
        for (const [i, place] of vectors ? own.entries() : []) {
          all.set(vectorAt(place), i * dimensions)
        }
        return {
          ids: own.map((place) => passages[place]!.id),
          scores: found.scores.slice(...range),
          vectors: all,
        }
      })
    },
    async fetch(ids, { vectors, texts }) {
      return ids.map((id) => {
        const place = places.get(id)
        if (place === undefined) return undefined
        const { title, text } = passages[place]!
        const vector = vectors ? vectorAt(place) : new Float32Array(0)
        return texts ? { vector, title, text } : { vector }
      })
    },
    async close() {},
  }
}
