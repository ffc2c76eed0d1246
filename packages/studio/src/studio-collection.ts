import '@kith/languages'
import {
  type Background,
  KithError,
  type TermStatistics,
  TermStatisticsBuilder,
  type TokenizerName,
} from '@kith/core'
import { isTokenizerName } from '@kith/core/internal'
import type { Run } from '@kith/ir'
import type { TextModel } from '@kith/server'
import { entriesOf, openingQuery } from './query-entries.ts'
import {
  contextOf,
  DEPTH,
  openSources,
  type StudioOptions,
  type StudioSources,
} from './studio-context.ts'
import {
  type DocumentText,
  type QueryEntry,
  type QueryList,
  type StudioContext,
  type StudioFiles,
  type StudioInfo,
  searchEntries,
  wordsOf,
} from './studio-wire.ts'

/**
 * The number of queries that determine the depth of a run: nearly always, all queries have the same
 * depth.
 */
const SAMPLE = 200
/**
 * A new page opens with the query that gains most among this many queries, with this many
 * candidates each.
 */
const [TRIED, TRIED_DEPTH] = [100, 200]
/** Maximum length of a free-text query in characters. */
const LONGEST_TEXT = 2000

/** Options for opening a dataset. */
export interface StudioCollectionOptions extends StudioOptions {
  /** The lowest grade of a relevant document. Default: 1. */
  level?: number | undefined
  /**
   * The model that embeds free-text queries; it is closed with the dataset, or if the dataset
   * cannot be opened.
   */
  model?: TextModel | undefined
}

/**
 * A run with everything that the page shows, by query.
 *
 * ```ts
 * const collection = await StudioCollection.open({ run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy' })
 * ```
 */
export class StudioCollection {
  readonly info: StudioInfo
  readonly #sources: StudioSources
  readonly #model: TextModel | undefined
  /** The lowest grade of a relevant document. */
  readonly #level: number
  /** The queries that can be shown. */
  readonly #entries: ReadonlyMap<string, QueryEntry>
  readonly #statistics = new Map<TokenizerName, TermStatistics>()

  private constructor(files: StudioFiles, sources: StudioSources, level = 1, model?: TextModel) {
    this.#sources = sources
    this.#model = model
    this.#level = level
    this.#entries = entriesOf(sources, level)
    const [any] = this.#entries.keys()
    if (any === undefined) {
      const what = sources.texts ? 'an embedding and a text' : 'an embedding'
      throw new KithError(
        'BAD_INPUT',
        `${files.run}: no query of the run has ${what}; pass the embeddings and texts of these queries`,
      )
    }
    this.info = {
      name: files.run,
      documents: sources.docs.rows,
      queries: this.#entries.size,
      judged: this.judged().length,
      depth: Math.min(DEPTH, deepest(sources.run)),
      texts: sources.texts !== undefined,
      background: sources.background !== undefined,
      level,
      first: this.#opening() ?? any,
      model: model?.name,
      files,
    }
  }

  /** Opens a dataset. */
  static async open(
    files: StudioFiles,
    { level, model, ...options }: StudioCollectionOptions = {},
  ): Promise<StudioCollection> {
    let sources: StudioSources | undefined
    try {
      sources = await openSources(files, options)
      const { dimensions } = sources.docs
      if (model && model.dimensions !== dimensions) {
        throw new KithError(
          'BAD_SHAPE',
          `model ${model.name} has ${model.dimensions} dimensions, but ${files.docs} has ${dimensions}; pass the model that encoded the documents`,
        )
      }
      return new StudioCollection(files, sources, level, model)
    } catch (error) {
      await sources?.close()
      await model?.close()
      throw error
    }
  }

  /** Returns the ids of all queries, in the order of the run. */
  ids(): string[] {
    return [...this.#entries.keys()]
  }

  /**
   * Returns the queries whose id or text contains all words of a search, in the order of the run.
   */
  search(words: string): QueryList {
    return searchEntries(this.#entries.values(), words)
  }

  /** Returns the judged queries, which `kith eval` averages over. */
  judged(): string[] {
    return this.ids().filter((id) => this.#sources.qrels.has(id))
  }

  /** Returns a query with its first `top` candidates and, if requested, its relevant documents. */
  context(id: string, top: number, withTruth: boolean): StudioContext {
    const query = this.#entries.get(id)
    if (!query) throw new KithError('BAD_INPUT', `there is no query ${JSON.stringify(id)}`)
    const { run, queries, qrels } = this.#sources
    const vector = queries.gather([queries.rowOf(id)!])
    const judged = qrels.get(id) ?? new Map<string, number>()
    const part = { top, withTruth, level: this.#level }
    const { ids, scores } = run.get(id)!
    return contextOf(this.#sources, { query, vector, ids, scores, judged }, part)
  }

  /**
   * The scale on which relevance is estimated; undefined if there is no such file beside the
   * embeddings.
   */
  get background(): Background | undefined {
    return this.#sources.background
  }

  /** Embeds a free text as a query, and finds the documents nearest to it. */
  async contextOfText(given: string, top: number): Promise<StudioContext> {
    const text = given.trim()
    if (!this.#model) {
      throw new KithError(
        'BAD_INPUT',
        'free text needs an encoder; start the studio with kith studio --model MODEL',
      )
    }
    if (text === '' || text.length > LONGEST_TEXT) {
      throw new KithError(
        'BAD_INPUT',
        `free text must have 1 to ${LONGEST_TEXT} characters, got ${text.length}`,
      )
    }
    // Loaded here, since most studios never search.
    const { searchExact } = await import('@kith/stores')
    const { docs } = this.#sources
    const { dimensions } = docs
    const vector = (await this.#model.embed([text], 'query'))[0]!.vector
    const depth = Math.min(top, DEPTH)
    const { rows, scores } = await searchExact({ data: vector, rows: 1, dimensions }, docs, {
      top: depth,
    })
    const ids = Array.from(rows, (row) => docs.idOf(row))
    const query = { id: '', text, relevant: 0 }
    const part = { top: depth, withTruth: false, level: this.#level }
    return contextOf(this.#sources, { query, vector, ids, scores, judged: new Map() }, part)
  }

  /** Returns the texts of some documents; only the id if a document has no text. */
  documents(ids: readonly string[]): DocumentText[] {
    return ids.map((id) => this.#sources.texts?.documents.get(id) ?? { id })
  }

  /** Counts how often terms occur in all texts of the dataset, once per tokenizer. */
  statistics(tokenizer: string): TermStatistics {
    const kind = isTokenizerName(tokenizer) ? tokenizer : undefined
    const { texts } = this.#sources
    if (!kind || !texts) {
      const reason = texts ? 'unknown tokenizer' : 'the corpus has no texts'
      throw new KithError(
        'BAD_INPUT',
        `no term statistics of tokenizer ${JSON.stringify(tokenizer)}: ${reason}`,
      )
    }
    const known = this.#statistics.get(kind)
    if (known) return known
    const builder = new TermStatisticsBuilder({ tokenizer: kind })
    for (const entry of texts.documents) builder.add(wordsOf(entry))
    const counted = builder.finish()
    this.#statistics.set(kind, counted)
    return counted
  }

  async close(): Promise<void> {
    await this.#sources.close()
    await this.#model?.close()
  }

  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Returns the opening query; undefined without judgments. */
  #opening(): string | undefined {
    const tried = this.ids().slice(0, TRIED)
    const judged = tried.filter((id) => this.#entries.get(id)!.relevant > 0)
    // A new page requests these statistics, too.
    const statistics = this.#sources.texts ? this.statistics('english') : undefined
    return openingQuery(judged, (id) => this.context(id, TRIED_DEPTH, false), statistics)
  }
}

function deepest(run: Run): number {
  const lengths = run.queries.slice(0, SAMPLE).map((query) => run.get(query)!.ids.length)
  return Math.max(...lengths)
}
