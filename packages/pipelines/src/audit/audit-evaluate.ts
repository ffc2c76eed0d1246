import { KithError, type LabelSettings, type Target } from '@kith/core'
import { evaluate, type Qrels, type Run, RunBuilder, readQrels, readRun } from '@kith/ir'
import { hideAllButOne, shareQrels } from '@kith/ir/internal'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { slicesBetween } from '../labels/label-slice.ts'
import { runInMemory } from '../tasks/open-run.ts'
import { runTasks, workersFor } from '../tasks/task-pool.ts'
import { type AuditFiles, type AuditSources, openAudit } from './audit-sources.ts'

/** The inputs of an audit's evaluation. */
export interface AuditEvaluateInputs extends AuditFiles {
  /** Number of random draws of the document that stays judged. Default: 5. */
  repeats?: number | undefined
  /** The seed of the first draw. Default: 1. */
  seed?: number | undefined
}

/** Mean and standard deviation over the draws. */
export interface Spread {
  mean: number
  deviation: number
}

/** How many hidden documents an audit finds. */
export interface AuditEvaluation {
  queries: number
  repeats: number
  /** Whether the texts were used. */
  texts: boolean
  /** The precision of each kind of evidence, by measure (`P@1` to `P@10`). */
  evidence: { target: Target; measures: Record<string, Spread> }[]
}

const targets: readonly Target[] = ['joint', 'mixed', 'geometric', 'rnn', 'query-centric']
const measures = ['P@1', 'P@3', 'P@5', 'P@10']

/**
 * Hides all but one relevant document of each query, and measures for each kind of evidence how
 * many of the hidden documents are at the top of the audit's list.
 *
 * ```ts
 * await auditEvaluate({ run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy', qrels:
 * 'qrels.trec' })
 * ```
 */
export async function auditEvaluate(
  inputs: AuditEvaluateInputs,
  hooks: Hooks = {},
): Promise<AuditEvaluation> {
  const { repeats = jobDefaults.repeats, seed = jobDefaults.auditSeed } = inputs
  const sources = await openAudit(inputs, hooks)
  try {
    const qrels = await readQrels(inputs.qrels)
    const run = await readRun(inputs.run)
    const { level } = sources
    const onDone = stageOf(hooks, 'evaluating the audit', repeats * targets.length)
    const found = new Map(targets.map((target) => [target, [] as Record<string, number>[]]))
    let queries = 0
    for (let repeat = 0; repeat < repeats; repeat++) {
      const { known, hidden } = hideAllButOne(qrels, { level, seed: seed + repeat })
      if (known.size === 0) {
        const problem =
          'no query has several relevant documents, so no document can be hidden; evaluate on other judgments'
        throw new KithError('BAD_INPUT', `${inputs.qrels}: ${problem}`)
      }
      for (const [t, target] of targets.entries()) {
        const settings = { ...sources.settings, target }
        const ranked = await rankUnjudged(sources, run, known, settings, inputs.workers)
        const { mean, queries: judged } = evaluate(hidden, ranked, measures, { level })
        found.get(target)!.push(mean)
        queries = judged.length
        onDone(repeat * targets.length + t + 1)
      }
    }
    return { queries, repeats, texts: sources.texts !== undefined, evidence: spreads(found) }
  } finally {
    await sources.close()
  }
}

/** Ranks the candidates of each query by evidence, without the known relevant document. */
async function rankUnjudged(
  sources: AuditSources,
  run: Run,
  known: Qrels,
  settings: LabelSettings,
  workers = workersFor(known.size),
): Promise<Run> {
  const builder = new RunBuilder()
  const job = { ...sources.shared, settings, qrels: shareQrels(known), perQuery: undefined }
  const tasks = slicesBetween(runInMemory(run), 0, run.queries.length)
  for await (const [, { results }] of runTasks('audit', job, tasks, workers, { batch: 1 })) {
    for (const result of results) if ('unjudged' in result) builder.add(result.unjudged)
  }
  return builder.finish()
}

function spreads(
  found: ReadonlyMap<Target, Record<string, number>[]>,
): AuditEvaluation['evidence'] {
  return Array.from(found, ([target, means]) => ({
    target,
    measures: Object.fromEntries(
      measures.map((measure) => [measure, spread(means.map((mean) => mean[measure]!))]),
    ),
  }))
}

/** Computes the mean and the population standard deviation. */
function spread(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, deviation: Math.sqrt(squares / values.length) }
}
