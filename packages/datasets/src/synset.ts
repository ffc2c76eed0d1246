/** A noun synset of WordNet: words that share one meaning, and the synsets above it. */
export interface Synset {
  /**
   * `n` and the eight digits that begin the synset's line. Without the letter, tools would read the
   * id as a number.
   */
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

/** The nouns of WordNet. Every hypernym exists, and no synset is its own ancestor. */
export interface Nouns {
  /** The synsets by id, in the order of the file. */
  readonly synsets: ReadonlyMap<string, Synset>
  /** The license at the head of the file, which every copy must include; empty if there is none. */
  readonly notice: string
}

/** Returns the title of a synset: its first lemma. */
export function titleOf({ lemmas }: Synset): string {
  return lemmas[0]!
}

/** Returns the ids of the synsets directly below each synset; leaves out synsets without any. */
export function hyponymsOf(synsets: ReadonlyMap<string, Synset>): Map<string, string[]> {
  const hyponyms = new Map<string, string[]>()
  for (const { id, hypernyms } of synsets.values()) {
    for (const hypernym of hypernyms) addTo(hyponyms, hypernym, id)
  }
  return hyponyms
}

/** Maximum number of documents below a category, or below a region of categories. */
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

  /** Returns the documents below a synset; undefined if there are more than `MOST`. */
  of(id: string): readonly string[] | undefined {
    const below = this.#below.get(id) ?? []
    return below.length > MOST ? undefined : below
  }

  #climb({ id, hypernyms }: Synset): void {
    const ahead = [...hypernyms]
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      const below = this.#below.get(next) ?? []
      this.#below.set(next, below)
      // Skip a synset that another path has already reached with this document. Also skip a synset
      // with more than MOST documents: all of them were added above it too, so everything above is
      // full.
      if (below.at(-1) === id || below.length > MOST) continue
      below.push(id)
      for (const hypernym of this.synsets.get(next)!.hypernyms) ahead.push(hypernym)
    }
  }
}

/**
 * Returns the region of a synset: the topmost ancestor along first hypernyms that still has at most
 * 200 documents below it, or the synset itself. Categories of one region contain each other or lie
 * side by side, so a region goes to one split as a whole, and its queries form one cluster in
 * significance tests.
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
