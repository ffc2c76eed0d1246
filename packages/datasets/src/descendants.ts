import type { Synset } from './synset.ts'

/** The most documents that a category, or a region of categories, has below it. */
export const MOST = 200

/** Which documents lie below each synset, over all paths of hypernyms. */
export class Descendants {
  readonly #below = new Map<string, string[]>()

  constructor(
    readonly synsets: ReadonlyMap<string, Synset>,
    documents: readonly Synset[],
  ) {
    for (const document of documents) this.#climb(document)
  }

  /** The documents below a synset, or undefined where they are more than `MOST`. */
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
