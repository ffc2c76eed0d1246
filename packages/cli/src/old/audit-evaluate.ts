import { KithError, type LabelSettings, type Target } from '@kith/core'
import {
  evaluate,
  hideAllButOne,
  type Qrels,
  type Run,
  RunBuilder,
  readQrels,
  readRun,
} from '@kith/ir'
import type { LabelPlan } from '@kith/pipelines/internal'
import { labelTasks, missingPolicies, runTasks, workersFor } from '@kith/pipelines/internal'
import type { Values } from '../options/command.ts'
import { optionalChoice, optionalWhole } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'
import { type AuditSources, openAudit } from './audit-inputs.ts'

const targets: readonly Target[] = ['joint', 'mixed', 'geometric', 'rnn', 'query-centric']
const measures = ['P@1', 'P@3', 'P@5', 'P@10']

/** `kith audit --evaluate`: precision in finding hidden judgements, for each kind of evidence. */
export async function evaluateAudit(values: Values, output: Output): Promise<void> {
  const repeats = optionalWhole(values, 'repeats') ?? 5
  const seed = optionalWhole(values, 'seed', { from: 0 }) ?? 1
  const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
  const sources = await openAudit(values)
  try {
    const qrels = await readQrels(sources.qrels)
    const run = await readRun(sources.run)
    const progress = output.progress('hiding and finding', repeats * targets.length)
    const found = new Map(targets.map((target) => [target, [] as Record<string, number>[]]))
    let queries = 0
    for (let repeat = 0; repeat < repeats; repeat++) {
      const { known, hidden } = hideAllButOne(qrels, { level: sources.level, seed: seed + repeat })
      if (known.size === 0) {
        throw new KithError(
          'BAD_INPUT',
          `${sources.qrels}: no query has several relevant documents, so none can be hidden`,
        )
      }
      for (const [t, target] of targets.entries()) {
        const plan = planOf(sources, run, known, missing)
        const ranked = await rankUnjudged(plan, sources, { ...sources.settings, target }, values)
        const { mean, queries: judged } = evaluate(hidden, ranked, measures, {
          level: sources.level,
        })
        found.get(target)!.push(mean)
        queries = judged.length
        progress.update(repeat * targets.length + t + 1)
      }
    }
    progress.end()
    report(found, { queries, repeats, texts: sources.texts !== undefined }, output)
  } finally {
    sources.close()
  }
}

function planOf(
  { queries, docs, texts, settings, level }: AuditSources,
  run: Run,
  known: Qrels,
  missing: LabelPlan['missing'],
): LabelPlan {
  const rankings = (async function* () {
    for (const query of run.queries) if (known.has(query)) yield run.get(query)!
  })()
  const { contextSize } = settings
  return {
    rankings,
    qrels: known,
    level,
    queries,
    docs,
    texts,
    contextSize,
    missing,
    from: 0,
    to: Infinity,
  }
}

/** The candidates of each query, without the known relevant document, by their evidence. */
async function rankUnjudged(
  plan: LabelPlan,
  { inputs, docs }: AuditSources,
  settings: LabelSettings,
  values: Values,
): Promise<Run> {
  const builder = new RunBuilder()
  const workers = optionalWhole(values, 'workers') ?? workersFor(plan.qrels.size)
  const results = runTasks('label', { ...inputs, settings }, labelTasks(plan, {}), workers)
  for await (const [{ query, rows, grades }, { evidence }] of results) {
    const others = Array.from(rows.subarray(grades.length), (row) => docs.idOf(row))
    builder.add({ query, ids: others, scores: evidence.subarray(grades.length) })
  }
  return builder.finish()
}

function report(
  found: ReadonlyMap<Target, Record<string, number>[]>,
  { queries, repeats, texts }: { queries: number; repeats: number; texts: boolean },
  output: Output,
): void {
  const json = Array.from(found, ([target, means]) => ({
    target,
    measures: Object.fromEntries(
      measures.map((measure) => [measure, spread(means.map((mean) => mean[measure]!))]),
    ),
  }))
  const rows = json.map(({ target, measures: of }) => [
    target === 'query-centric' ? 'query similarity' : target,
    ...measures.map((name) => `${of[name]!.mean.toFixed(3)} ± ${of[name]!.deviation.toFixed(3)}`),
  ])
  output.result(
    { queries, repeats, texts, evidence: json },
    [
      `Hidden relevant documents among the first unjudged ones: ${queries} queries, ${repeats} draws${texts ? ', with texts' : ''}`,
      '',
      table([['evidence', ...measures], ...rows]),
    ].join('\n'),
  )
}

/** Mean and population deviation over the draws. */
function spread(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, deviation: Math.sqrt(squares / values.length) }
}
