import {
  type DistilSettings,
  KithError,
  type PartialDistilSettings,
  Reranker,
  resolveMethodSettings,
  type Settings,
} from '@kith/core'
import { distilTarget, lookedAt, resolveDistilSettings } from '@kith/core/internal'
import { type Embeddings, type FileEmbeddings, type Run, readRun } from '@kith/ir'
import type { TrainingQuery } from '@kith/train'
import type { Join, JoinedTexts, JoinSources } from '../join/join.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { type DefaultTokenizer, nameTokenizer } from '../join/name-tokenizer.ts'
import { checkTextPair } from '../join/open-texts.ts'
import { PreparedTexts, textsOfRun, type WantedTexts } from '../join/prepared-texts.ts'
import { readStatistics, type StatisticsSource } from '../join/statistics.ts'
import { joinSlice, rankContext } from '../rerank/rerank-slice.ts'

/** The ranking to learn from in a training without labels. */
export interface TeacherInputs extends PartialDistilSettings, DefaultTokenizer {
  /**
   * A run of any teacher, such as a cross-encoder; default: the ranking of `rerankRun` with default
   * settings.
   */
  run?: string | undefined
  /** The texts of the documents, for the default ranking. */
  corpus?: string | undefined
  /** The texts of the queries; an encoder's queries are texts already. */
  queryText?: string | undefined
  /** The source of term statistics for the BM25 score; default: the corpus. */
  statistics?: StatisticsSource | undefined
}

/** A teacher's labels: documents by row, best first, with probabilities. */
type TaughtLabels = NonNullable<TrainingQuery['labels']>

/** Makes labels without judgments, from a better ranking than the model's own. */
export interface Teacher {
  /** Whether the teacher needs the query's embedding by the model before training. */
  readonly needsEmbedding: boolean
  /** The files that the teacher reads. */
  readonly files: readonly string[]
  /**
   * Labels a query's documents; undefined if the teacher has no labels, which the join's report
   * records.
   */
  teach(
    query: TrainingQuery,
    embedding: Float32Array | undefined,
    join: Join,
  ): TaughtLabels | undefined
}

/**
 * The sharpness of the ranking's own scores in the target of a linear adapter (docs/method.md
 * section 7).
 */
const OWN_SHARPNESS = 2

/** Opens the teacher of the inputs. */
export async function openTeacher(inputs: TeacherInputs, needed: NeededTexts): Promise<Teacher> {
  const { run, depth, corpus, queryText, statistics, defaultTokenizer } = inputs
  const own = needed.ownScores && run === undefined
  const sharpness = inputs.sharpness ?? (own ? OWN_SHARPNESS : undefined)
  const settings = resolveDistilSettings({ depth, sharpness })
  if (run === undefined) {
    const files = { corpus, queryText, statistics, defaultTokenizer }
    return RankingTeacher.open({ ...files, settings }, needed)
  }
  if (corpus !== undefined || statistics !== undefined) {
    throw new KithError(
      'BAD_SETTING',
      'a teacher that is a run uses no texts; leave out corpus and statistics',
    )
  }
  return new RunTeacher(run, await readRun(run), settings)
}

/** The queries and documents whose texts the ranking needs. */
interface NeededTexts {
  run: Run
  docs: FileEmbeddings
  /** Whether candidates are searched again, so that any document can become a candidate. */
  all: boolean
  missing: MissingPolicy
  /** The metric of the ranking. */
  metric: Settings['metric']
  /** Whether the ranking's scores become targets unchanged; otherwise they are standardized. */
  ownScores: boolean
}

/** The texts and settings of a teacher's ranking. */
interface RankingTeacherInputs extends DefaultTokenizer {
  corpus: string | undefined
  queryText: string | undefined
  statistics: StatisticsSource | undefined
  settings: DistilSettings
}

/**
 * Teaches the ranking of `rerank` with default settings, including words and the corpus' term
 * statistics.
 */
class RankingTeacher implements Teacher {
  readonly needsEmbedding = true
  readonly files: readonly string[]
  readonly #sources: JoinSources<number> & { texts: JoinedTexts<number> }
  readonly #reranker: Reranker
  readonly #looked: number
  readonly #docs: Embeddings
  readonly #target: (scores: Float32Array) => Float64Array

  private constructor(
    texts: PreparedTexts,
    files: readonly string[],
    { reranker, looked }: { reranker: Reranker; looked: number },
    { docs, ownScores }: NeededTexts,
    settings: DistilSettings,
  ) {
    this.files = files
    this.#sources = rowSources(docs, texts)
    this.#reranker = reranker
    this.#looked = looked
    this.#docs = docs
    this.#target = (scores) =>
      ownScores ? ownTarget(scores, settings) : distilTarget(scores, settings)
  }

  static async open(inputs: RankingTeacherInputs, needed: NeededTexts): Promise<RankingTeacher> {
    const { statistics: source = 'corpus', settings, defaultTokenizer } = inputs
    const files = checkTextPair(inputs)
    if (!files) {
      const problem =
        'Kith needs texts to make the ranking that teaches; pass corpus and queryText, or the run of another teacher'
      throw new KithError('BAD_SETTING', problem)
    }
    const usual = resolveMethodSettings()
    // The ranking has no scores beyond its context, so the context must hold all labeled
    // candidates.
    const contextSize = Math.max(usual.contextSize, settings.depth)
    const asked = { ...usual, contextSize, metric: needed.metric }
    const about = { statistics: source, texts: files.corpus, defaultTokenizer }
    const ranking = await nameTokenizer(asked, about, {})
    const kept = await readStatistics(source, ranking)
    const count = source !== 'context' && !kept
    const looked = lookedAt(ranking, true, kept !== undefined || count)
    const texts = await PreparedTexts.read(files, wantedTexts(needed, looked), {
      tokenizer: ranking.tokenizer,
      count,
    })
    const reranker = new Reranker({ ...ranking, statistics: kept ?? texts.statistics })
    const read = [files.corpus, files.queryText]
    if (typeof source === 'object') read.push(source.file)
    return new RankingTeacher(texts, read, { reranker, looked }, needed, settings)
  }

  teach(
    { id, retrieved }: TrainingQuery,
    vector: Float32Array | undefined,
    join: Join,
  ): TaughtLabels | undefined {
    // The policy for missing data is applied after all queries are labeled.
    const rules = { missing: 'skip', lookedAt: this.#looked } as const
    const slice = [{ query: id, ids: retrieved }]
    const [joined] = joinSlice(slice, this.#sources, rules, join.report)
    if (!joined || joined.rows.length === 0) return undefined
    const { rows } = joined
    const { dimensions } = this.#docs
    const vectors = { data: this.#docs.gather(rows), rows: rows.length, dimensions }
    const context = { vector: vector!, vectors }
    const { order, scores } = rankContext(this.#reranker, joined, context)
    const values = this.#target(scores)
    return { rows: Array.from(values, (_, i) => rows[order[i]!]!), values }
  }
}

/** Returns the softmax of the first scores, best first, multiplied by the sharpness. */
function ownTarget(scores: Float32Array, { depth, sharpness }: DistilSettings): Float64Array {
  const first = Float64Array.from(scores.subarray(0, depth))
  const powers = first.map((score) => Math.exp(sharpness * (score - first[0]!)))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

/** Finds documents and their texts by row. */
function rowSources(
  docs: Embeddings,
  texts: PreparedTexts,
): JoinSources<number> & { texts: JoinedTexts<number> } {
  return {
    docs: {
      rowOf: (id) => (typeof id === 'number' ? id : docs.rowOf(id)),
      nameOf: (id) => (typeof id === 'number' ? docs.idOf(id) : id),
    },
    texts: {
      hasQuery: (id) => texts.hasQuery(id),
      hasDocument: (_, row) => texts.hasDocument(docs.idOf(row)),
      query: (id) => texts.query(id),
      document: (_, row) => texts.document(docs.idOf(row)),
    },
  }
}

/** Selects the texts of the run's first candidates, or of all documents. */
function wantedTexts({ run, docs, all, missing }: NeededTexts, looked: number): WantedTexts {
  if (!all) return textsOfRun(run, looked, missing)
  const documents = { ids: docs.ids.share(), needed: undefined }
  return { query: (id) => run.has(id), documents }
}

/** Teaches the scores of any run. */
class RunTeacher implements Teacher {
  readonly needsEmbedding = false
  readonly files: readonly string[]
  readonly #run: Run
  readonly #settings: DistilSettings

  constructor(file: string, run: Run, settings: DistilSettings) {
    this.files = [file]
    this.#run = run
    this.#settings = settings
  }

  teach({ id }: TrainingQuery, _: unknown, join: Join): TaughtLabels | undefined {
    const ranking = this.#run.get(id)
    if (!ranking) {
      join.report.add('queries of the run are not in the teacher’s run', id)
      return undefined
    }
    const first = ranking.ids.slice(0, this.#settings.depth)
    const rows = join.documents('documents of the teacher’s run', first)
    const known = [...rows.keys()].filter((i) => rows[i] !== undefined)
    if (known.length === 0) return undefined
    const scores = known.map((i) => ranking.scores[i]!)
    return { rows: known.map((i) => rows[i]!), values: distilTarget(scores, this.#settings) }
  }
}
