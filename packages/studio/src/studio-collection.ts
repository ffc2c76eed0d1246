import {
  KithError,
  type TermStatistics,
  TermStatisticsBuilder,
  type TermsName,
  termNames,
} from '@kith/core'
import type { Run } from '@kith/ir'
import { openSources, type StudioOptions, type StudioSources } from './studio-sources.ts'
import type {
  DocumentText,
  QueryEntry,
  QueryList,
  StudioContext,
  StudioDocument,
  StudioFiles,
  StudioInfo,
} from './studio-wire.ts'

/** Candidates of one query that the page looks at, at the most. */
const DEPTH = 1000
/** Queries that one search answers with. */
const LISTED = 50
/** Queries that tell how deep a run is: nearly always all are equally deep. */
const SAMPLE = 200
/** The depth of nDCG@10. */
const IDEAL = 10

/** A run with everything that belongs to it, for the page: query by query. */
export class StudioCollection {
  readonly info: StudioInfo
  readonly #sources: StudioSources
  /** The queries that can be shown. */
  readonly #entries: ReadonlyMap<string, QueryEntry>
  readonly #statistics = new Map<TermsName, TermStatistics>()

  private constructor(files: StudioFiles, sources: StudioSources, level: number) {
    this.#sources = sources
    this.#entries = entriesOf(sources, level)
    const [any] = this.#entries.keys()
    if (any === undefined) {
      const what = sources.texts ? 'an embedding and a text' : 'an embedding'
      throw new KithError('BAD_INPUT', `${files.run}: no query of the run has ${what}`)
    }
    const first = [...this.#entries.values()].find(({ relevant }) => relevant > 0)
    this.info = {
      documents: sources.docs.rows,
      queries: this.#entries.size,
      judged: this.judged().length,
      depth: Math.min(DEPTH, deepest(sources.run)),
      texts: sources.texts !== undefined,
      level,
      first: first?.id ?? any,
      files,
    }
  }

  /** Opens a collection. @param level From which grade on a document is relevant. */
  static async open(
    files: StudioFiles,
    { level = 1, ...options }: StudioOptions & { level?: number | undefined } = {},
  ): Promise<StudioCollection> {
    const sources = await openSources(files, options)
    try {
      const collection = new StudioCollection(files, sources, level)
      // A fresh page asks for these.
      if (sources.texts) collection.statistics('english')
      return collection
    } catch (error) {
      await sources.close()
      throw error
    }
  }

  /** The queries whose id or text has all the words of a search, in the order of the run. */
  search(words: string): QueryList {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
    const entries: QueryEntry[] = []
    let found = 0
    for (const entry of this.#entries.values()) {
      const text = `${entry.id} ${entry.text ?? ''}`.toLowerCase()
      if (!wanted.every((word) => text.includes(word))) continue
      if (found++ < LISTED) entries.push(entry)
    }
    return { found, entries }
  }

  /** The queries that were judged: those that `kith eval` averages over. */
  judged(): string[] {
    return [...this.#entries.keys()].filter((id) => this.#sources.qrels.has(id))
  }

  /** A query with its first `top` candidates and, if asked for, its relevant documents. */
  context(id: string, top: number, withTruth: boolean): StudioContext {
    const query = this.#entries.get(id)
    if (!query) throw new KithError('BAD_INPUT', `there is no query ${JSON.stringify(id)}`)
    const { run, docs, texts, qrels } = this.#sources
    const judged = qrels.get(id) ?? new Map<string, number>()
    const { ids, scores } = run.get(id)!
    const rows: number[] = []
    const documents: StudioDocument[] = []
    const places = new Map<string, number>()
    let missing = 0
    const add = (document: string, score?: number): void => {
      const row = docs.rowOf(document)
      const entry = texts?.documents.get(document)
      if (row === undefined || (texts && !entry)) {
        missing++
        return
      }
      places.set(document, documents.length)
      rows.push(row)
      const { title, text } = entry ?? {}
      documents.push({ id: document, score, title, text, grade: judged.get(document) })
    }
    for (let i = 0; i < ids.length && documents.length < Math.min(top, DEPTH); i++) {
      add(ids[i]!, scores[i]!)
    }
    const retrieved = documents.length
    const relevant = [...judged.keys()].filter((other) => judged.get(other)! >= this.info.level)
    if (withTruth) for (const document of relevant) if (!places.has(document)) add(document)
    return {
      query,
      documents,
      retrieved,
      missing,
      truth: relevant.flatMap((document) => places.get(document) ?? []),
      ideal: [...judged.values()]
        .filter((grade) => grade > 0)
        .sort((a, b) => b - a)
        .slice(0, IDEAL),
      vectors: this.#vectors(id, rows),
    }
  }

  /** The texts of some documents; of those that have none, the ids. */
  documents(ids: readonly string[]): DocumentText[] {
    return ids.map((id) => this.#sources.texts?.documents.get(id) ?? { id })
  }

  /** How often terms occur in all texts of the collection; each kind of terms is counted once. */
  statistics(terms: string): TermStatistics {
    const kind = termNames.find((name) => name === terms)
    const { texts } = this.#sources
    if (!kind || !texts) {
      const reason = texts ? `allowed: ${termNames.join(', ')}` : 'the collection has no texts'
      throw new KithError('BAD_INPUT', `no statistics of terms ${JSON.stringify(terms)}: ${reason}`)
    }
    const known = this.#statistics.get(kind)
    if (known) return known
    const builder = new TermStatisticsBuilder({ terms: kind })
    for (const { title, text } of texts.documents) builder.add(title ? `${title} ${text}` : text)
    const counted = builder.finish()
    this.#statistics.set(kind, counted)
    return counted
  }

  async close(): Promise<void> {
    await this.#sources.close()
  }

  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #vectors(query: string, rows: readonly number[]): StudioContext['vectors'] {
    const { queries, docs } = this.#sources
    const { dimensions } = docs
    const data = new Float32Array((rows.length + 1) * dimensions)
    queries.gather([queries.rowOf(query)!], data)
    docs.gather(rows, data.subarray(dimensions))
    return { data, rows: rows.length + 1, dimensions }
  }
}

/** The queries of the run that have an embedding and, where there are texts, a text. */
function entriesOf(
  { run, queries, texts, qrels }: StudioSources,
  level: number,
): Map<string, QueryEntry> {
  const entries = new Map<string, QueryEntry>()
  for (const id of run.queries) {
    const text = texts?.queries.get(id)?.text
    if (queries.rowOf(id) === undefined || (texts && text === undefined)) continue
    const grades = [...(qrels.get(id)?.values() ?? [])]
    entries.set(id, { id, text, relevant: grades.filter((grade) => grade >= level).length })
  }
  return entries
}

function deepest(run: Run): number {
  const lengths = run.queries.slice(0, SAMPLE).map((query) => run.get(query)!.ids.length)
  return Math.max(...lengths)
}
