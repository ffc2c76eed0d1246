import type { Descendants } from './descendants.ts'

/**
 * The region of a synset: the topmost ancestor over first hypernyms that still has at most 200
 * documents below it, or the synset itself. Categories of one region lie within each other or side
 * by side, so a region goes to one split as a whole, and its queries are one cluster where
 * significance is tested.
 */
export function regionOf(id: string, descendants: Descendants): string {
  let region = id
  for (;;) {
    const [above] = descendants.synsets.get(region)!.hypernyms
    if (above === undefined || !descendants.of(above)) return region
    region = above
  }
}
