/** A noun synset of WordNet: words that share one meaning, and the synsets above it. */
export interface Synset {
  /** `n` and the eight digits that begin its line. Tools would take the digits alone for a number. */
  readonly id: string
  /** The lexical file, such as `animal`. */
  readonly lexicalFile: string
  /** The words, at least one, with spaces for underscores. */
  readonly lemmas: readonly string[]
  /** The ids of the synsets that this one is a kind (`@`) or an instance (`@i`) of. */
  readonly hypernyms: readonly string[]
  /** The gloss without its examples. */
  readonly definition: string
}

/** The nouns of WordNet. Every hypernym is among them, and none is its own ancestor. */
export interface Nouns {
  /** By id, in the order of the file. */
  readonly synsets: ReadonlyMap<string, Synset>
  /** The license at the head of the file, which every copy has to keep; empty if there is none. */
  readonly notice: string
}

/** The word by which a synset is called: its first lemma. */
export function titleOf({ lemmas }: Synset): string {
  return lemmas[0]!
}

/** The ids of the synsets directly below each synset that has any. */
export function hyponymsOf(synsets: ReadonlyMap<string, Synset>): Map<string, string[]> {
  const hyponyms = new Map<string, string[]>()
  for (const { id, hypernyms } of synsets.values()) {
    for (const hypernym of hypernyms) addTo(hyponyms, hypernym, id)
  }
  return hyponyms
}

/** The most documents that a category, or a region of categories, has below it. */
const MOST = 200

/** The documents below each synset, over all paths of hypernyms. */
export class Descendants {
  readonly #below = new Map<string, string[]>()

  constructor(
    readonly synsets: ReadonlyMap<string, Synset>,
    documents: readonly Synset[],
  ) {
    for (const document of documents) this.#climb(document)
  }

  /** The documents below a synset, or undefined if they are more than `MOST`. */
  of(id: string): readonly string[] | undefined {
    const below = this.#below.get(id) ?? []
    return below.length > MOST ? undefined : below
  }

  #climb({ id, hypernyms }: Synset): void {
    const ahead = [...hypernyms]
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      const below = this.#below.get(next) ?? []
      this.#below.set(next, below)
      // Another path has been here with this document; or more than MOST have, and all of
      // them have climbed on, so that everything above is as full.
      if (below.at(-1) === id || below.length > MOST) continue
      below.push(id)
      for (const hypernym of this.synsets.get(next)!.hypernyms) ahead.push(hypernym)
    }
  }
}

/**
 * The region of a synset: the topmost ancestor over first hypernyms that still has at most 200
 * documents below it, or the synset itself. Categories of one region lie within each other or side
 * by side, so a region goes to one split as a whole, and its queries are one cluster if
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

/** Appends a value to the list of a key. */
export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
