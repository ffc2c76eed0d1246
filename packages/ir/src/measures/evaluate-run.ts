import { isRegular } from '@kith/base'
import type { Qrels } from '../qrels/qrels.ts'
import { readRun } from '../runs/run-files.ts'
import { ScatteredError, streamRuns } from '../runs/run-stream.ts'
import { type Evaluation, type EvaluationOptions, Evaluator, evaluate } from './evaluate.ts'
import type { Measure } from './measure.ts'

/**
 * Measures the run of a file as `evaluate` does, some hundred queries at a time: a run larger than
 * memory can be measured. A run with a query that comes back after others is read whole.
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
