import { type CandidateViews, contextOf, type Query, toQueryViews, toViews } from './context.ts'
import { KithError } from './error.ts'
import { isObject, type SomeVectors, type Vector } from './matrix.ts'
import { type Ranking, rankingOfAll } from './method/order-by-score.ts'
import { lookedAt } from './method/preselect.ts'
import { type Choice, chooseContext, rankChosen } from './method/rank-context.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings/settings.ts'
import { prepareText, type Text } from './text/prepare-text.ts'
import { tokenizerOf } from './text/tokenizer.ts'
import { WorkspacePool } from './workspace.ts'

/** All selections share an engine, which is lent to one call at a time. */
const shared = /* @__PURE__ */ new WorkspacePool()

/** Candidates by their texts and scores alone. */
export type ScoredTexts = Pick<CandidateViews, 'texts' | 'scores'>

/**
 * Chooses the candidates whose vectors a ranking needs, by their texts and scores alone, so that a
 * program fetches only these vectors.
 *
 * ```ts
 * const selection = new Selection({ text }, { texts, scores }, { statistics })
 * const vectors = await fetchVectors(Array.from(selection.chosen, (index) => ids[index]))
 * const { order } = selection.rerank(queryVector, vectors)
 * ```
 *
 * The result equals `rerank` for candidates whose vectors are not available: the scores stand
 * for their similarity to the query.
 */
export class Selection {
  /** The indices of the chosen candidates, at most `contextSize`. */
  readonly chosen: Uint32Array
  readonly #query: Text
  /** The texts of the chosen candidates. */
  readonly #texts: readonly Text[]
  readonly #scores: (number | null | undefined)[] | undefined
  readonly #settings: Settings
  /** Undefined if all candidates that are looked at are in the context. */
  readonly #choice: Choice | undefined
  readonly #count: number

  constructor(query: Query, candidates: ScoredTexts, settings?: PartialSettings) {
    const all = resolveSettings(settings)
    const { text } = toQueryViews(query)
    const { texts, scores } = toViews(candidates)
    if (all.mix !== 'words') {
      throw new KithError('BAD_SETTING', `a selection needs mix 'words', got '${all.mix}'`)
    }
    if (text === undefined || !texts) {
      throw new KithError(
        'BAD_INPUT',
        'a selection needs the texts of the query and the candidates',
      )
    }
    const limit = lookedAt(all, true)
    const prepared = Array.from(texts, (own) => preparedOf(own, all))
    this.#settings = all
    this.#query = preparedOf(text, all)
    this.#count = prepared.length
    const found = { texts: prepared, scores }
    const [size, choice] = shared.use((memory) => {
      const context = contextOf({ text: this.#query }, found, limit, memory.postings, all)
      return [context.rows - 1, chooseContext(memory, context, all)]
    })
    this.#choice = choice
    this.chosen = choice ? choice.chosen.slice() : Uint32Array.from({ length: size }, (_, i) => i)
    this.#texts = Array.from(this.chosen, (index) => prepared[index]!)
    this.#scores = scores && Array.from(this.chosen, (index) => scores[index])
  }

  /** Ranks all candidates, given the vectors of the query and of the chosen ones, in the order of `chosen`. */
  rerank(vector: Vector, vectors: SomeVectors): Ranking {
    const { contextSize } = this.#settings
    return shared.use((memory) => {
      const asked = { vector, text: this.#query }
      const found = { vectors, texts: this.#texts, scores: this.#scores }
      const context = contextOf(asked, found, contextSize, memory.postings, this.#settings)
      const { ranking } = rankChosen(memory, context, this.#choice, this.#settings)
      return rankingOfAll(ranking, this.#choice?.order, this.#count)
    })
  }
}

function preparedOf(text: Text, settings: Settings): Text {
  const raw = typeof text === 'string' || (isObject(text) && !('postings' in text))
  return raw ? prepareText(text, { tokenizer: tokenizerOf(settings) }) : text
}
