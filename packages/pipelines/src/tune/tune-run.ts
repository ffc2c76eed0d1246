import {
  type Method,
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
} from '@kith/core'
import { type Tuned, tune, writeTuned } from '@kith/tune'
import { learnedQueries } from '../files/learned-queries.ts'
import { fingerprint, writeSidecar } from '../files/sidecar.ts'
import { methodsOf } from '../job/checks.ts'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults, studyBeside } from '../job/job-defaults.ts'
import type { Missing } from '../join/missing.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import {
  type JudgedInputs,
  judgedMetric,
  openJudged,
  tokenizersToTry,
} from './judged-collection.ts'

/** Number of candidates per query to consider; contextSize if that is larger. */
const LARGEST = 200

/** The inputs of a tuning. */
export interface TuneInputs extends JudgedInputs {
  /** The file to write: settings, evidence, verdict. */
  out: string
  /** The base settings, which tuning changes only on evidence. */
  settings?: PartialMethodSettings | undefined
  /** The methods to choose from, or `all`; default: only `neighbors`. */
  methods?: readonly Method[] | 'all' | undefined
  /** Number of trials in each study; default 200. */
  trials?: number | undefined
  /** Number of folds; default 5. */
  folds?: number | undefined
  /** The seed of folds and trials; default 0. */
  seed?: number | undefined
  /** The file of finished trials; default: `out` with `.study.jsonl`. */
  study?: string | undefined
}

/** The result of a tuning. */
export interface TuneResult {
  out: string
  tuned: Tuned
  /** The file with the finished trials. */
  study: string
  /**
   * The settings for each fold of the queries, chosen on the other folds; empty if nothing was
   * searched.
   */
  folds: readonly { settings: MethodSettings; queries: readonly string[] }[]
  /** The queries and candidates that were skipped because of missing data. */
  missing: readonly Missing[]
}

/**
 * Tunes settings on judged queries, and decides whether reranking helps at all. Finished trials are
 * saved in a study: if it is interrupted, the same call resumes with them.
 *
 * ```ts
 * const { tuned } = await tuneRun({
 *   run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy', qrels: 'qrels.trec',
 *   out: 'tuned.json',
 * })
 * ```
 */
export async function tuneRun(inputs: TuneInputs, hooks: Hooks = {}): Promise<TuneResult> {
  const { out, study = studyBeside(out), trials, folds, seed } = inputs
  const { statistics, corpus: texts, defaultTokenizer } = inputs
  const about = { statistics, texts, defaultTokenizer }
  const asked = await nameTokenizer(resolveMethodSettings(inputs.settings), about, hooks)
  const methods = methodsOf(inputs)
  const largest = Math.max(LARGEST, asked.contextSize)
  const judged = await openJudged({ ...inputs, tokenizers: tokenizersToTry(asked) }, largest)
  const { evaluator, scoring, policy, files, report } = judged
  try {
    const base = { ...asked, metric: await judgedMetric(asked.metric, inputs.run, judged, hooks) }
    for (const remark of report.remarks()) hooks.onRemark?.(remark)
    const ids = judged.collection.list.map(({ id }) => id)
    const level = scoring.level ?? jobDefaults.level
    const relevantOf = (id: string) => {
      const grades = [...(judged.qrels.get(id) ?? [])]
      return { id, relevant: grades.filter(([, grade]) => grade >= level).map(([doc]) => doc) }
    }
    let chosen: TuneResult['folds'] = []
    const tuned = await tune(evaluator, {
      ...{ ...scoring, base, methods, trials, folds, seed, study },
      fingerprint: await fingerprint(
        { missing: policy, largest, statistics: inputs.statistics ?? 'corpus' },
        files,
      ),
      onFolds: (found) => {
        chosen = found.map((fold) => ({
          settings: fold.settings,
          queries: fold.queries.map((query) => ids[query]!),
        }))
      },
      signal: hooks.signal,
      onProgress: (done, total) => hooks.onProgress?.({ stage: 'tuning', done, total }),
    })
    await writeTuned(out, tuned)
    // Unchanged settings were not learned from any query.
    const learnedFrom =
      tuned.verdict === 'default'
        ? []
        : [await learnedQueries('tune', out, inputs.qrels, ids.map(relevantOf))]
    await writeSidecar(out, 'tune', { ...scoring, missing: policy }, files, { learnedFrom })
    return { out, tuned, study, folds: chosen, missing: report.list() }
  } finally {
    await judged.close()
  }
}
