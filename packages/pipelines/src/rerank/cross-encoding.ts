import { optionalPackage, TemporaryFile } from '@kith/base'
import { orderedMap } from '@kith/base/pool'
import { range } from '@kith/core/internal'
import type { CrossEncoder } from '@kith/encoder'
import type { RankedQuery } from '@kith/ir'
import { downloadRemarks } from '../encode/encode-texts.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { openBoth } from '../join/contexts.ts'
import { type MissingPolicy, MissingReport, remarkMissing } from '../join/missing.ts'
import type { TextFiles } from '../join/open-texts.ts'
import type { DocumentPlace } from '../join/place.ts'
import { namedError } from '../tasks/job.ts'
import { checkPairFiles, openPairTexts, type PairTexts } from './pair-texts.ts'
import { reorderFirst } from './rerank-slice.ts'

/**
 * Number of queries to process concurrently: enough that no core idles during the last text of a
 * query.
 */
const AHEAD = 16

/** The cross-encoder that reranks after Kith, and the number of documents that it reads. */
export interface ThenCrossEncode {
  /** A folder, or a name on the hub, such as `cross-encoder/ms-marco-MiniLM-L-6-v2`. */
  model: string
  /** Number of each query's first documents that the cross-encoder reranks. */
  first: number
}

/** The inputs of a cross-encoding. */
interface CrossEncodingParts {
  settings: ThenCrossEncode
  model: CrossEncoder
  texts: PairTexts
  missing: MissingPolicy
}

/** The inputs of a reranking that the cross-encoder needs, too. */
interface Inputs extends DocumentPlace, TextFiles {
  missing: MissingPolicy
  workers?: number | undefined
}

/** Loads a cross-encoder and opens the texts that it reads. */
export async function openCrossEncoding(
  settings: ThenCrossEncode,
  inputs: Inputs,
  hooks: Hooks,
): Promise<CrossEncoding> {
  const { missing, workers } = inputs
  range({ from: 1, integer: true })('first', settings.first)
  const files = checkPairFiles(inputs)
  const [model, texts] = await openBoth(load(settings.model, workers, hooks), () =>
    openPairTexts(files),
  )
  return new CrossEncoding({ settings, model, texts, missing })
}

async function load(
  name: string,
  threads: number | undefined,
  hooks: Hooks,
): Promise<CrossEncoder> {
  const { loadCrossEncoder } = await optionalPackage(
    'a cross-encoder needs',
    '@kith/encoder',
    () => import('@kith/encoder'),
  )
  return loadCrossEncoder(name, { threads, onDownload: downloadRemarks(hooks) })
}

/** A cross-encoder that reranks the first documents of rankings. `close` ends its processes. */
export class CrossEncoding {
  /** The queries and documents without a text. */
  readonly report = new MissingReport()
  /** Number of scored texts, and of texts truncated to fit the model together with the query. */
  readonly counts = { texts: 0, cut: 0 }
  readonly #parts: CrossEncodingParts
  readonly #before = new RankingSpool()

  constructor(parts: CrossEncodingParts) {
    this.#parts = parts
  }

  get settings(): ThenCrossEncode {
    return this.#parts.settings
  }

  /** The rankings before the cross-encoder. */
  get before(): Iterable<RankedQuery> {
    return this.#before
  }

  /**
   * Yields the rankings with their first documents reranked by the cross-encoder, followed by all
   * other documents unchanged. The scores stay at their ranks. It reads all rankings before it
   * reranks the first, so that errors in them are reported before the long work.
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
    const limit = `${this.#parts.model.maxTokens} tokens, query included`
    hooks.onRemark?.(`${cut} of ${texts} texts were truncated to ${limit}`)
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
    return reorderFirst(ranking, order)
  }
}

/** The order of texts by a cross-encoder's scores. */
interface CrossEncoderOrder {
  /** The indexes of the texts, best first; ties keep their order, and missing texts come last. */
  order: number[]
  /** Number of scored texts, and of texts truncated to fit the model together with the query. */
  scored: number
  cut: number
}

/** Ranks texts by a cross-encoder's scores for a query. */
async function crossEncoderOrder(
  model: Pick<CrossEncoder, 'crossEncode'>,
  query: string,
  texts: readonly (string | undefined)[],
  signal?: AbortSignal,
): Promise<CrossEncoderOrder> {
  const places = [...texts.keys()]
  const known = places.filter((place) => texts[place] !== undefined)
  const { scores, cut } = await model.crossEncode(
    query,
    known.map((place) => texts[place]!),
    { signal },
  )
  const scoreOf = new Map(known.map((place, i) => [place, scores[i]!]))
  const best = known.toSorted((a, b) => scoreOf.get(b)! - scoreOf.get(a)!)
  const missing = places.filter((place) => texts[place] === undefined)
  return { order: [...best, ...missing], scored: known.length, cut }
}

/**
 * Rankings in a temporary file, in order, so that a run between two steps need not fit in memory.
 */
class RankingSpool implements Iterable<RankedQuery> {
  readonly #file = new TemporaryFile('rankings')
  /** The end position of each ranking in the file. */
  readonly #ends: number[] = []

  constructor() {
    this.#file.hide()
  }

  /** Number of rankings. */
  get size(): number {
    return this.#ends.length
  }

  add(ranking: RankedQuery): void {
    const json = JSON.stringify(ranking, (_, value: unknown) =>
      ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value,
    )
    this.#file.append(Buffer.from(json))
    this.#ends.push(this.#file.size)
  }

  *[Symbol.iterator](): Generator<RankedQuery> {
    let from = 0
    for (const end of this.#ends) {
      const bytes = Buffer.allocUnsafe(end - from)
      this.#file.read(bytes, from)
      from = end
      yield JSON.parse(bytes.toString('utf8')) as RankedQuery
    }
  }

  /** Closes and removes the file. */
  close(): Promise<void> {
    return this.#file.close()
  }
}
