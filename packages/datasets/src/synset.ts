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
  /** The license at the head of the file, which every copy has to keep; empty where there is none. */
  readonly notice: string
}

/** The word by which a synset is called: its first lemma. */
export function titleOf({ lemmas }: Synset): string {
  return lemmas[0]!
}
