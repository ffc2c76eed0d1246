import type { CrossEncoder } from '@kith/encoder'

/** Texts in the order of a cross-encoder's scores. */
export interface CrossEncoderOrder {
  /** Their indices, best first; equal ones keep their order, and missing texts stand behind all others. */
  order: number[]
  /** Texts that were scored, and how many of them were longer than the model takes beside the query. */
  scored: number
  cut: number
}

/** Puts texts in order by how a cross-encoder scores them for a query. */
export async function crossEncoderOrder(
  model: Pick<CrossEncoder, 'crossEncode'>,
  query: string,
  texts: readonly (string | undefined)[],
  signal?: AbortSignal,
): Promise<CrossEncoderOrder> {
  const places = [...texts.keys()]
  const known = places.filter((place) => texts[place] !== undefined)
  const { scores, cut } = await model.crossEncode(
    query,
    known.map((place) => texts[place]!),
    { signal },
  )
  const scoreOf = new Map(known.map((place, i) => [place, scores[i]!]))
  const best = known.toSorted((a, b) => scoreOf.get(b)! - scoreOf.get(a)!)
  const missing = places.filter((place) => texts[place] === undefined)
  return { order: [...best, ...missing], scored: known.length, cut }
}
