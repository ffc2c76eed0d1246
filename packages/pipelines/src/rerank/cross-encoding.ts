import { orderedMap } from '@kith/base/pool'
import type { CrossEncoder } from '@kith/encoder'
import type { RankedQuery } from '@kith/ir'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { type MissingPolicy, MissingReport, remarkMissing } from '../join/missing.ts'
import { namedError } from '../tasks/named-error.ts'
import { crossEncoderOrder } from './cross-encoder-order.ts'
import { strictlyFalling } from './new-rankings.ts'
import type { PairTexts } from './pair-texts.ts'
import { RankingSpool } from './ranking-spool.ts'

/** Queries under way: enough that no core of the cross-encoder waits for the last text of a query. */
const AHEAD = 16

/** Which cross-encoder follows a ranking, and how many documents it reads. */
export interface ThenCrossEncode {
  /** A folder, or a name on the hub, such as `cross-encoder/ms-marco-MiniLM-L-6-v2`. */
  model: string
  /** How many of each query's first documents it puts in order. */
  first: number
}

/** What a cross-encoding works with. */
export interface CrossEncodingParts {
  settings: ThenCrossEncode
  model: CrossEncoder
  texts: PairTexts
  missing: MissingPolicy
}

/** A cross-encoder that puts the first documents of rankings in order. `close` ends its processes. */
export class CrossEncoding {
  /** Queries and documents without a text. */
  readonly report = new MissingReport()
  /** Texts that were scored, and how many of them were longer than the model takes beside the query. */
  readonly counts = { texts: 0, cut: 0 }
  readonly #parts: CrossEncodingParts
  readonly #before = new RankingSpool()

  constructor(parts: CrossEncodingParts) {
    this.#parts = parts
  }

  get settings(): ThenCrossEncode {
    return this.#parts.settings
  }

  /** The rankings as they came. */
  get before(): Iterable<RankedQuery> {
    return this.#before
  }

  /**
   * Rankings whose first documents are in the order of the cross-encoder's scores, all others behind
   * them as they were. Every place keeps its score. All rankings are read before the first is
   * reordered, so that what is wrong with them is told before the long work.
   */
  async *reorder(
    rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
    hooks: Hooks,
  ): AsyncGenerator<RankedQuery> {
    for await (const ranking of rankings) this.#before.add(ranking)
    const onDone = stageOf(hooks, 'cross-encoding', this.#before.size)
    const work = (ranking: RankedQuery, signal: AbortSignal) => this.#reordered(ranking, signal)
    const { signal } = hooks
    let done = 0
    for await (const [, better] of orderedMap(this.#before, work, { ahead: AHEAD, signal })) {
      yield better
      onDone(++done)
    }
    remarkMissing(this.report, hooks)
    const { texts, cut } = this.counts
    if (cut === 0) return
    const limit = `${this.#parts.model.maxTokens} tokens with their query`
    hooks.onRemark?.(`${cut} of ${texts} texts are longer than ${limit}: what is beyond is cut off`)
  }

  async close(): Promise<void> {
    await this.#before.close()
    await this.#parts.texts.close()
    await this.#parts.model.close()
  }

  async #reordered(ranking: RankedQuery, signal: AbortSignal): Promise<RankedQuery> {
    const { model, texts, settings, missing } = this.#parts
    const { query, ids } = ranking
    const first = ids.slice(0, settings.first)
    const asked = texts.query(query)
    const found = asked === undefined ? [] : await texts.documents(first)
    if (asked === undefined) this.report.add('queries for the cross-encoder have no text', query)
    for (const [i, text] of found.entries()) {
      if (text === undefined) {
        this.report.add('documents for the cross-encoder have no text', first[i]!)
      }
    }
    this.report.check(missing)
    if (asked === undefined) return ranking
    const { order, scored, cut } = await crossEncoderOrder(model, asked, found, signal).catch(
      (error: unknown) => {
        throw namedError(error, { query })
      },
    )
    this.counts.texts += scored
    this.counts.cut += cut
    return {
      query,
      ids: [...order.map((place) => first[place]!), ...ids.slice(first.length)],
      scores: strictlyFalling(Float32Array.from(ranking.scores)),
    }
  }
}
