import { type PartialSettings, type TokenizerName, TrialContext } from '@kith/core'
import { ndcg } from '@kith/ir/measures'
import { CUTOFF } from '../model/analysis.ts'
import { changed, lookedAt, methodSettings, type PageSettings } from '../model/page-settings.ts'
import { QueryContext, statisticsFor } from '../model/query-context.ts'
import { source } from '../model/source.ts'
import type { SliderName } from './sliders.ts'

/** A query that is reranked again and again. */
interface Trial {
  largest: number
  /** Negative if nothing was judged. */
  grades: number[]
  ideal: number[]
  source: QueryContext
  /** The terms that the texts of `context` were prepared with. */
  tokenizer: TokenizerName
  context: TrialContext
  bytes: number
}

/** Settings that queries are reranked with. */
interface Asked {
  settings: PartialSettings
  tokenizer: TokenizerName
  /** How many candidates they look at. */
  largest: number
}

/** Bytes of the dataset that are kept; other queries are fetched again for each study. */
const KEPT_BYTES = 2 ** 28
/** Queries that are asked for at a time. */
const TOGETHER = 8
/** Milliseconds between two reports. */
const PAUSE = 80

/** Mean nDCG@10 over all judged queries, for many settings one after the other. */
export class MeanStudy {
  readonly #queries: readonly string[]
  readonly #kept = new Map<string, Trial>()
  #bytes = 0

  constructor(queries: readonly string[]) {
    this.#queries = mixed(queries)
  }

  /** Reports means that get better the longer it runs; ends early when a newer request has come. */
  async run(
    { settings, texts, along, stops }: MeanWish,
    isWanted: () => boolean,
    report: (report: MeanReport) => void,
  ): Promise<void> {
    const use = { texts }
    const statistics = await statisticsFor(settings, texts)
    const asked = (page: PageSettings): Asked => ({
      settings: methodSettings(page, use, statistics),
      tokenizer: page.tokenizer,
      largest: lookedAt(page, use),
    })
    const current = asked(settings)
    const variants = stops.map((stop) => asked(changed(settings, { [along]: stop })))
    const total = this.#queries.length
    const sums = { before: 0, after: 0, curve: stops.map(() => 0) }
    let done = 0
    let drawn = 0
    let last = performance.now()
    const tell = (): void =>
      report({
        along,
        done,
        total,
        before: sums.before / done,
        after: sums.after / done,
        curve: drawn > 0 ? stops.map((value, i) => ({ value, mean: sums.curve[i]! / drawn })) : [],
        complete: drawn === total,
      })
    const pause = async (): Promise<void> => {
      if (performance.now() - last < PAUSE) return
      tell()
      // A new wish can only arrive while nothing is running.
      await new Promise((resolve) => setTimeout(resolve))
      last = performance.now()
    }
    const draw = (trial: Trial): void => {
      variants.forEach((variant, i) => {
        sums.curve[i]! += measure(trial, variant)
      })
      drawn++
    }
    // If all queries are available, the mean appears at once, and the curve follows. If queries
    // must be fetched, each query is measured for all settings when it arrives.
    const atHand = this.#atHand(variants)
    for await (const trial of this.#trials(atHand ? [current] : variants, isWanted)) {
      sums.before += ndcg(trial.grades, trial.ideal, CUTOFF)
      sums.after += measure(trial, current)
      done++
      if (!atHand) draw(trial)
      await pause()
    }
    if (atHand) {
      for await (const trial of this.#trials(variants, isWanted)) {
        draw(trial)
        await pause()
      }
    }
    if (isWanted()) tell()
  }

  #atHand(variants: readonly Asked[]): boolean {
    const largest = largestOf(variants)
    return this.#queries.every((id) => (this.#kept.get(id)?.largest ?? 0) >= largest)
  }

  /** The queries with as many candidates as the largest context needs. */
  async *#trials(variants: readonly Asked[], isWanted: () => boolean): AsyncGenerator<Trial> {
    const largest = largestOf(variants)
    const { tokenizer } = variants[0]!
    for (let from = 0; from < this.#queries.length && isWanted(); from += TOGETHER) {
      const part = this.#queries.slice(from, from + TOGETHER)
      for (const trial of await Promise.all(
        part.map((id) => this.#trial(id, largest, tokenizer)),
      )) {
        if (!isWanted()) return
        yield trial
      }
    }
  }

  async #trial(id: string, largest: number, tokenizer: TokenizerName): Promise<Trial> {
    const known = this.#kept.get(id)
    if (known && known.largest >= largest) {
      if (known.tokenizer !== tokenizer) {
        known.context = trialContext(known.source, known.largest, tokenizer)
        known.tokenizer = tokenizer
      }
      return known
    }
    const found = await source().context(id, Math.max(largest, CUTOFF))
    const context = new QueryContext(found)
    const trial: Trial = {
      largest,
      grades: found.documents.map(({ grade }) => grade ?? -1),
      ideal: found.ideal,
      source: context,
      tokenizer,
      context: trialContext(context, largest, tokenizer),
      // The query's vectors, and the similarities that the trial context will remember.
      bytes: found.vectors.data.byteLength + 3 * 4 * (largest + 1) ** 2,
    }
    if (this.#bytes - (known?.bytes ?? 0) + trial.bytes <= KEPT_BYTES) {
      this.#bytes += trial.bytes - (known?.bytes ?? 0)
      this.#kept.set(id, trial)
    }
    return trial
  }
}

function trialContext(
  source: QueryContext,
  largest: number,
  tokenizer: TokenizerName,
): TrialContext {
  // Settings without words leave the texts alone.
  const own = source.texts ? tokenizer : undefined
  return new TrialContext(source.query(own), source.candidates(own), largest)
}

function largestOf(variants: readonly Asked[]): number {
  return Math.max(...variants.map(({ largest }) => largest))
}

function measure({ context, grades, ideal }: Trial, { settings }: Asked): number {
  const { order } = context.rerank(settings)
  const first = Array.from(order.subarray(0, CUTOFF), (document) => grades[document]!)
  return ndcg(first, ideal, CUTOFF)
}

/** Queries in an order in which any first part is a fair sample: files are often sorted. */
function mixed(queries: readonly string[]): string[] {
  const count = queries.length
  let step = Math.max(1, Math.round(count * 0.618))
  while (common(step, count) !== 1) step++
  return queries.map((_, i) => queries[(i * step) % count]!)
}

function common(a: number, b: number): number {
  return b === 0 ? a : common(b, a % b)
}

/** The page's request to the worker; a new request ends the work on the one before. */
export interface MeanWish {
  settings: PageSettings
  texts: boolean
  /** The setting along the curve, and its values there. */
  along: SliderName
  stops: number[]
}

/** Mean nDCG@10 over the judged queries, as far as they are done. */
export interface MeanReport {
  along: SliderName
  /** How many queries the means of `before` and `after` are over. */
  done: number
  total: number
  before: number
  after: number
  /** The curve over the queries done so far. */
  curve: { value: number; mean: number }[]
  /** Whether all of it is over all queries. */
  complete: boolean
}

/** The worker's answer. */
export type MeanAnswer = MeanReport | { error: string }
