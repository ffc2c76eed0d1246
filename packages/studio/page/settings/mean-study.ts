import { TrialContext } from '@kith/core'
import { ndcg } from '@kith/ir/measures'
import { CUTOFF } from '../model/analysis.ts'
import { fetchContext } from '../model/api.ts'
import { methodSettings, type PageSettings } from '../model/page-settings.ts'
import { QueryContext } from '../model/query-context.ts'
import type { MeanReport, MeanWish } from './mean-messages.ts'

/** A query that is reranked again and again. */
interface Trial {
  largest: number
  /** Negative where nothing was judged. */
  grades: number[]
  ideal: number[]
  context: TrialContext
  bytes: number
}

/** Bytes of the collection that are kept; other queries are fetched anew for each study. */
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
    const variants = stops.map((stop) => ({ ...settings, [along]: stop }))
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
        sums.curve[i]! += measure(trial, variant, texts)
      })
      drawn++
    }
    // Where all queries are at hand the mean is there in a moment, and the curve follows.
    // Where they must be fetched, each one gives all it has at once.
    const atHand = this.#atHand(variants)
    for await (const trial of this.#trials(atHand ? [settings] : variants, isWanted)) {
      sums.before += ndcg(trial.grades, trial.ideal, CUTOFF)
      sums.after += measure(trial, settings, texts)
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

  #atHand(variants: readonly PageSettings[]): boolean {
    const largest = largestOf(variants)
    return this.#queries.every((id) => (this.#kept.get(id)?.largest ?? 0) >= largest)
  }

  /** The queries with as many candidates as the largest context needs. */
  async *#trials(
    variants: readonly PageSettings[],
    isWanted: () => boolean,
  ): AsyncGenerator<Trial> {
    const largest = largestOf(variants)
    for (let from = 0; from < this.#queries.length && isWanted(); from += TOGETHER) {
      const part = this.#queries.slice(from, from + TOGETHER)
      for (const trial of await Promise.all(part.map((id) => this.#trial(id, largest)))) {
        if (!isWanted()) return
        yield trial
      }
    }
  }

  async #trial(id: string, largest: number): Promise<Trial> {
    const known = this.#kept.get(id)
    if (known && known.largest >= largest) return known
    const source = await fetchContext(id, Math.max(largest, CUTOFF))
    const context = new QueryContext(source)
    // Settings without words leave the texts alone.
    const words = source.documents[0]?.text !== undefined
    const trial: Trial = {
      largest,
      grades: source.documents.map(({ grade }) => grade ?? -1),
      ideal: source.ideal,
      context: new TrialContext(context.query(words), context.candidates(words), largest),
      // Its vectors, and the similarities that the trial context will remember.
      bytes: source.vectors.data.byteLength + 3 * 4 * (largest + 1) ** 2,
    }
    if (this.#bytes - (known?.bytes ?? 0) + trial.bytes <= KEPT_BYTES) {
      this.#bytes += trial.bytes - (known?.bytes ?? 0)
      this.#kept.set(id, trial)
    }
    return trial
  }
}

function largestOf(variants: readonly PageSettings[]): number {
  return Math.max(...variants.map(({ contextSize }) => contextSize))
}

function measure({ context, grades, ideal }: Trial, page: PageSettings, texts: boolean): number {
  const { order } = context.rerank(methodSettings(page, texts))
  const first = Array.from(order.subarray(0, CUTOFF), (document) => grades[document]!)
  return ndcg(first, ideal, CUTOFF)
}

/** Queries in an order in which any first part stands for the whole: files are often sorted. */
function mixed(queries: readonly string[]): string[] {
  const count = queries.length
  let step = Math.max(1, Math.round(count * 0.618))
  while (common(step, count) !== 1) step++
  return queries.map((_, i) => queries[(i * step) % count]!)
}

function common(a: number, b: number): number {
  return b === 0 ? a : common(b, a % b)
}
