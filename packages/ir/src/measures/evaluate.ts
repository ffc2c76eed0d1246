import { isRegular } from '@kith/base'
import { KithError } from '@kith/core'
import { IdIndex } from '../io/id-index.ts'
import { IdList } from '../io/id-list.ts'
import type { Qrels } from '../qrels/qrels.ts'
import type { Run } from '../runs/run.ts'
import { readRun } from '../runs/run-files.ts'
import { ScatteredError, streamRuns } from '../runs/run-stream.ts'
import { measures as formulas, type GradedRanking, type Measure, parseMeasure } from './measures.ts'

/** Options for evaluating a run (docs/method.md section 8). */
export interface EvaluationOptions {
  /** The lowest grade of a relevant document. Default: 1. */
  level?: number | undefined
  /** Whether grades below the level also give no gain in nDCG. */
  strict?: boolean | undefined
  /** Whether means are over all judged queries, with 0 for queries missing in the run. */
  complete?: boolean | undefined
}

/** The results of an evaluation. */
export interface Evaluation {
  /** The names of the measures as the caller wrote them. */
  measures: readonly string[]
  /** The evaluated queries, ordered by the bytes of their ids. */
  queries: readonly string[]
  /** The mean of each measure over the queries. */
  mean: Readonly<Record<string, number>>
  /** The values of each measure, in the order of `queries`. */
  perQuery: Readonly<Record<string, Float64Array>>
}

/**
 * Evaluates a run against relevance judgments, per query and on average. The figures equal
 * trec_eval's.
 *
 * ```ts
 * const { mean } = evaluate(qrels, run, ['nDCG@10', 'R@100'])
 * console.log(mean['nDCG@10'])
 * ```
 */
export function evaluate(
  qrels: Qrels,
  run: Run,
  measures: readonly (string | Measure)[],
  options?: EvaluationOptions,
): Evaluation {
  const evaluator = new Evaluator(qrels, measures, options)
  evaluator.add(run)
  return evaluator.finish()
}

/** Evaluates a run in parts. */
export class Evaluator {
  readonly #qrels: Qrels
  readonly #measures: readonly Measure[]
  readonly #level: number
  readonly #complete: boolean
  readonly #grader: Grader
  /** The values of the measures by query. */
  readonly #values = new Map<string, number[]>()
  #first: string | undefined

  constructor(
    qrels: Qrels,
    measures: readonly (string | Measure)[],
    { level = 1, strict = false, complete = false }: EvaluationOptions = {},
  ) {
    if (!Number.isInteger(level) || level < 1) {
      throw new KithError('BAD_SETTING', `level must be a whole number of at least 1, got ${level}`)
    }
    this.#qrels = qrels
    this.#measures = measures.map((measure) =>
      typeof measure === 'string' ? parseMeasure(measure) : measure,
    )
    this.#level = level
    this.#complete = complete
    this.#grader = new Grader(strict ? level : 0)
  }

  /** Evaluates the judged queries of a run. */
  add(run: Run): void {
    this.#first ??= run.queries[0]
    for (const query of run.queries) {
      const judgments = this.#qrels.get(query)
      if (!judgments) continue
      const ranking = this.#grader.grade(run, query, judgments)
      const values = this.#measures.map(({ kind, cutoff = Infinity, level = this.#level }) =>
        formulas[kind](ranking, level, cutoff),
      )
      this.#values.set(query, values)
    }
  }

  finish(): Evaluation {
    const queries = this.#queries()
    const perQuery: Record<string, Float64Array> = {}
    const mean: Record<string, number> = {}
    for (const [m, { name }] of this.#measures.entries()) {
      const values = Float64Array.from(queries, (query) => this.#values.get(query)?.[m] ?? 0)
      perQuery[name] = values
      mean[name] = values.reduce((sum, value) => sum + value, 0) / queries.length
    }
    return { measures: this.#measures.map(({ name }) => name), queries, mean, perQuery }
  }

  /** Returns the evaluated queries in trec_eval's order, in which it also sums the means. */
  #queries(): string[] {
    const judged = [...this.#qrels.keys()]
    if (this.#values.size === 0) {
      const examples = `the first query id is ${this.#first} in the run and ${judged[0]} in the qrels`
      throw new KithError('BAD_INPUT', `run and qrels have no query in common: ${examples}`)
    }
    const queries = this.#complete ? judged : judged.filter((query) => this.#values.has(query))
    const bytes = new Map(queries.map((query) => [query, Buffer.from(query)]))
    return queries.sort((a, b) => Buffer.compare(bytes.get(a)!, bytes.get(b)!))
  }
}

/**
 * Looks up the grades of a ranking by the bytes of the ids, and reuses its memory for every query.
 */
class Grader {
  readonly #ids = new IdList()
  readonly #index = new IdIndex(this.#ids)

  /** @param floor Grades below this grade count as 0. */
  constructor(readonly floor: number) {}

  grade(run: Run, query: string, judgments: ReadonlyMap<string, number>): GradedRanking {
    this.#ids.clear()
    this.#index.clear()
    const known: number[] = []
    for (const [id, grade] of judgments) {
      this.#ids.pushText(id)
      this.#index.add(known.length)
      known.push(grade > 0 && grade < this.floor ? 0 : grade)
    }
    const rows = inSinglePrecision(run, run.rows(query)!)
    const grades = new Array<number>(rows.length)
    const judged = new Array<boolean>(rows.length)
    for (let rank = 0; rank < rows.length; rank++) {
      const found = this.#index.find(run.parts.documents, rows[rank]!)
      grades[rank] = found < 0 ? -1 : known[found]!
      judged[rank] = found >= 0
    }
    const ideal = known.filter((grade) => grade >= 0).sort((a, b) => b - a)
    return { grades, judged, ideal }
  }
}

/**
 * Orders a ranking as trec_eval does, which keeps scores in single precision: scores that are equal
 * in single precision are ordered by document id.
 */
function inSinglePrecision({ parts: { scores, documents } }: Run, rows: Uint32Array): Uint32Array {
  const score = (row: number): number => Math.fround(scores[row]!)
  const before = (a: number, b: number): number => score(b) - score(a) || documents.compare(b, a)
  for (let i = 1; i < rows.length; i++) {
    if (score(rows[i - 1]!) === score(rows[i]!) && before(rows[i - 1]!, rows[i]!) > 0) {
      return rows.slice().sort(before)
    }
  }
  return rows
}

/**
 * Evaluates a run in a file as `evaluate` does, some hundred queries at a time, so that the run may
 * be larger than memory. A run in which a query occurs again after others is read whole.
 */
export async function evaluateRun(
  qrels: Qrels,
  file: string,
  measures: readonly (string | Measure)[],
  options?: EvaluationOptions,
): Promise<Evaluation> {
  const evaluator = new Evaluator(qrels, measures, options)
  if (!isRegular(file)) evaluator.add(await readRun(file))
  else {
    try {
      for await (const run of streamRuns(file)) evaluator.add(run)
    } catch (error) {
      if (!(error instanceof ScatteredError)) throw error
      return evaluate(qrels, await readRun(file), measures, options)
    }
  }
  return evaluator.finish()
}
