import type { MergedHit } from '../merge-hits.ts'
import type { Reader } from '../reader.ts'

/** Reads the hits that `mergeHits` makes of several lists. */
export function merged(): Reader<MergedHit> {
  return {
    vector: (hit) => hit.vector,
    text: (hit) => hit.text,
    score: (hit) => hit.similarity,
    byScore: false,
    id: (hit) => hit.id,
    advice: 'ask the stores for the vectors of their hits, or fetch them with rerankFetched',
  }
}
