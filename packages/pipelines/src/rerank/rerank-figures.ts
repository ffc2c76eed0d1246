import {
  type Evaluation,
  type EvaluationOptions,
  evaluate,
  type RankedQuery,
  type Run,
  RunBuilder,
  readQrels,
} from '@kith/ir'
import { Evaluator, evaluateRun, statedP } from '@kith/ir/internal'
import {
  type CorrectedComparison,
  compareToFirst,
  type NamedEvaluation,
  warnLearned,
} from '../eval/evaluate-runs.ts'
import type { Hooks } from '../job/hooks.ts'
import { usualMeasures } from '../job/job-defaults.ts'

/** Options for evaluating runs. */
export interface Measuring extends EvaluationOptions {
  /** The measures, by their names in ir_measures; default `usualMeasures`. */
  measures?: readonly string[] | undefined
}

/** Figures before and after reranking. */
export interface RerankFigures {
  /**
   * The run before and after reranking; with a cross-encoder, the run before it comes between them.
   */
  evaluations:
    | [before: NamedEvaluation, after: NamedEvaluation]
    | [before: NamedEvaluation, reranked: NamedEvaluation, after: NamedEvaluation]
  /** The comparisons by run name and measure. */
  comparisons: ReadonlyMap<string, Readonly<Record<string, CorrectedComparison>>>
  /** The verdict by the first measure, in one sentence. */
  verdict: string
  /** One sentence for each run whose model or settings were learned from some of the queries. */
  warnings: string[]
}

/** A run before and after reranking. */
interface Reranking {
  /** The run before reranking; its file is read again unless `run` holds it in memory. */
  before: { file: string; run: Run | undefined }
  /** The rankings before the cross-encoder, if there is one. */
  reranked: Iterable<RankedQuery> | undefined
  /** The file of the result. */
  after: string
  measuring: Measuring | undefined
  /** Whether a cutoff was set, which may remove all documents of a query. */
  cut: boolean
  hooks: Hooks
}

/** Evaluates a run before and after reranking. */
export async function measureReranking(
  qrelsFile: string,
  { before, reranked, after: out, measuring = {}, cut, hooks }: Reranking,
): Promise<RerankFigures> {
  const { measures = usualMeasures, ...asked } = measuring
  // Queries that lose all documents to the cutoff count as 0.
  const options = cut ? { ...asked, complete: true } : asked
  const qrels = await readQrels(qrelsFile)
  const first = {
    name: 'before',
    file: before.file,
    evaluation: before.run
      ? evaluate(qrels, before.run, measures, options)
      : await evaluateRun(qrels, before.file, measures, options),
  }
  const evaluation = await evaluateRun(qrels, out, measures, options)
  const last = { name: 'after', file: out, evaluation }
  const between = reranked && {
    name: 'reranked',
    evaluation: evaluateRankings(new Evaluator(qrels, measures, options), reranked),
  }
  const evaluations: RerankFigures['evaluations'] = between ? [first, between, last] : [first, last]
  const warnings = await warnLearned(evaluations, qrels, hooks)
  const comparisons = compareToFirst(evaluations)
  const verdict = verdictOf(comparisons.get('after')![measures[0]!]!, cut)
  return { evaluations, comparisons, verdict, warnings }
}

/** Evaluates rankings one by one. */
function evaluateRankings(evaluator: Evaluator, rankings: Iterable<RankedQuery>): Evaluation {
  for (const ranking of rankings) {
    const builder = new RunBuilder()
    builder.add(ranking)
    evaluator.add(builder.finish())
  }
  return evaluator.finish()
}

function verdictOf({ measure, difference, p }: CorrectedComparison, cut: boolean): string {
  const size = `${difference >= 0 ? '+' : '−'}${Math.abs(difference).toFixed(4)} ${measure}`
  const chance = `${p < 0.05 ? '' : 'not '}significant, ${statedP(p)}`
  if (difference === 0) return `Reranking did not change ${measure}.`
  if (difference < 0 && cut) {
    return `The reranked and cut run: ${size} (${chance}). A cutoff also leaves out relevant documents; kith calibrate measures its F1.`
  }
  if (difference < 0) {
    const what = p < 0.05 ? 'made the run worse' : 'may have made the run worse'
    return `Reranking ${what}: ${size} (${chance}). Keep the original run, or try other settings (kith tune).`
  }
  return p < 0.05
    ? `Reranking helped: ${size} (${chance}).`
    : `Reranking may have helped: ${size} (${chance}).`
}
