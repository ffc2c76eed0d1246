import {
  type DistilSettings,
  distilTarget,
  KithError,
  type PreparedText,
  Reranker,
  resolveMethodSettings,
} from '@kith/core'
import { lookedAt } from '@kith/core/internal'
import type { Embeddings, Run } from '@kith/ir'
import type { TrainingQuery } from '@kith/train'
import type { Join } from '../join/join.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { PreparedTexts, textsOfRun, type WantedTexts } from '../join/prepared-texts.ts'
import { checkNamedTokenizer, readStatistics, type StatisticsSource } from '../join/statistics.ts'
import { checkTextPair } from '../join/text-files.ts'
import type { TaughtLabels, Teacher } from './teacher.ts'

/** The queries and documents whose texts the ranking takes. */
export interface NeededTexts {
  run: Run
  docs: Embeddings
  /** Whether candidates are searched again, so that any document can become one. */
  all: boolean
  missing: MissingPolicy
}

/** The texts and settings of a ranking that teaches. */
export interface RankingTeacherInputs {
  corpus: string | undefined
  queryText: string | undefined
  statistics: StatisticsSource | undefined
  settings: DistilSettings
}

/** Teaches the ranking of `rerank` by its defaults, words and the collection's statistics included. */
export class RankingTeacher implements Teacher {
  readonly needsEmbedding = true
  readonly files: readonly string[]
  readonly #texts: PreparedTexts
  readonly #reranker: Reranker
  readonly #looked: number
  readonly #docs: Embeddings
  readonly #settings: DistilSettings

  private constructor(
    texts: PreparedTexts,
    files: readonly string[],
    { reranker, looked }: { reranker: Reranker; looked: number },
    docs: Embeddings,
    settings: DistilSettings,
  ) {
    this.#texts = texts
    this.files = files
    this.#reranker = reranker
    this.#looked = looked
    this.#docs = docs
    this.#settings = settings
  }

  static async open(inputs: RankingTeacherInputs, needed: NeededTexts): Promise<RankingTeacher> {
    const { statistics: source = 'corpus', settings } = inputs
    const files = checkTextPair(inputs)
    if (!files) {
      const problem =
        'the ranking that teaches takes the texts of documents and queries (corpus, queryText); or give the run of another teacher'
      throw new KithError('BAD_SETTING', problem)
    }
    const usual = resolveMethodSettings()
    // Behind its context the ranking has no scores of its own, so the context holds all that are taught.
    const ranking = { ...usual, contextSize: Math.max(usual.contextSize, settings.depth) }
    const kept = await readStatistics(source, ranking)
    const count = source === 'corpus'
    const looked = lookedAt(ranking, true, kept !== undefined || count)
    const texts = await PreparedTexts.read(files, wantedTexts(needed, looked), {
      tokenizer: checkNamedTokenizer(ranking),
      count,
    })
    const reranker = new Reranker({ ...ranking, statistics: kept ?? texts.statistics })
    const read = [files.corpus, files.queryText]
    if (typeof source === 'object') read.push(source.file)
    return new RankingTeacher(texts, read, { reranker, looked }, needed.docs, settings)
  }

  teach(
    { id, retrieved }: TrainingQuery,
    vector: Float32Array | undefined,
    join: Join,
  ): TaughtLabels | undefined {
    const text = this.#texts.queries.get(id)
    if (!text) {
      join.report.add('queries of the run have no text', id)
      return undefined
    }
    const { rows, texts } = this.#candidates(retrieved, join)
    if (rows.length === 0) return undefined
    const { dimensions } = this.#docs
    const vectors = { data: this.#docs.gather(rows), rows: rows.length, dimensions }
    const { order, scores } = this.#reranker.rerank({ vector: vector!, text }, { vectors, texts })
    const values = distilTarget(scores, this.#settings)
    return { rows: Array.from(values, (_, i) => rows[order[i]!]!), values }
  }

  /** The first candidates that have a text. */
  #candidates(retrieved: ArrayLike<number>, join: Join): { rows: number[]; texts: PreparedText[] } {
    const found: { rows: number[]; texts: PreparedText[] } = { rows: [], texts: [] }
    for (let i = 0; i < retrieved.length && found.rows.length < this.#looked; i++) {
      const row = retrieved[i]!
      const id = this.#docs.idOf(row)
      const text = this.#texts.documents.get(id)
      if (!text) join.report.add('candidates of the run have no text', id)
      else {
        found.rows.push(row)
        found.texts.push(text)
      }
    }
    return found
  }
}

/** The texts of the run's first candidates, or of all documents. */
function wantedTexts({ run, docs, all, missing }: NeededTexts, looked: number): WantedTexts {
  if (!all) return textsOfRun(run, looked, missing)
  return { query: (id) => run.has(id), document: (id) => docs.rowOf(id) !== undefined }
}
