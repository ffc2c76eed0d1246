import {
  KithError,
  type Method,
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
} from '@kith/core'
import { range, throwIfAborted } from '@kith/core/internal'
import type { Evaluator } from './evaluate/evaluator.ts'
import type { ScorerOptions } from './evaluate/scorer.ts'
import type { Space } from './search/space.ts'
import { searchSettings } from './settings/search-settings.ts'
import type { Tuned } from './verdict/tuned.ts'
import { FEW_QUERIES, judge } from './verdict/verdict.ts'

/** How much is searched where nothing else is said. */
export const tuneDefaults = { trials: 200, folds: 5, seed: 0 } as const

/** The settings for the queries of a fold, chosen on all other folds. */
export interface FoldSettings {
  settings: MethodSettings
  queries: readonly number[]
}

/** How settings are searched for. */
export interface TuneOptions extends ScorerOptions {
  /** The settings to depart from, only on evidence; by default the library's. */
  base?: PartialMethodSettings | undefined
  /** The methods to choose among; default: `neighbors` alone. */
  methods?: readonly Method[] | undefined
  /** The settings to search; by default all that matter. */
  space?: Space | undefined
  /** Trials of each study; default 200. */
  trials?: number | undefined
  /** Into how many folds the queries are split; default 5. */
  folds?: number | undefined
  /** Default 0. */
  seed?: number | undefined
  /** A file that finished trials are kept in: the next call with the same inputs goes on from there. */
  study?: string | undefined
  /** A digest of the inputs; a study file of other inputs is refused. */
  fingerprint?: string | undefined
  /** Called with the number of trials done and of all, over all studies together. */
  onProgress?: ((done: number, total: number) => void) | undefined
  /** Called with the settings that each fold's study chose, and the numbers of the fold's queries. */
  onFolds?: ((folds: readonly FoldSettings[]) => void) | undefined
  /** Closes the evaluator and rejects with `ABORTED`; the study can go on later. */
  signal?: AbortSignal | undefined
}

/**
 * Looks for settings that rank better than the default, and says honestly whether they do.
 *
 * For each fold of the queries a study searches on the other folds alone, and its best settings
 * are judged on that fold: no query judges settings that were chosen, or even suggested, by it.
 * One more study on all queries finds the settings to ship. With few queries nothing is searched:
 * only default or off is decided (docs/method.md section 4).
 */
export async function tune(evaluator: Evaluator, options: TuneOptions): Promise<Tuned> {
  const { measure, level = 1, strict = false, seed = tuneDefaults.seed, signal } = options
  const { trials = tuneDefaults.trials, folds = tuneDefaults.folds } = options
  check({ trials, seed, queries: evaluator.queries })
  throwIfAborted(signal)
  const stop = () => void evaluator.close()
  signal?.addEventListener('abort', stop)
  try {
    const base = resolveMethodSettings(options.base)
    const [standard] = await evaluator.evaluate([base])
    const searched = evaluator.queries > FEW_QUERIES
    const found = searched
      ? await searchSettings(evaluator, { ...options, level, strict, seed, trials, folds, base })
      : undefined
    const alone = !searched && evaluator.texts ? embeddingsOnly(base) : undefined
    const judgment = judge({
      baseline: evaluator.baseline,
      default: standard!,
      tuned: found?.heldOut,
      embeddings: alone && (await evaluator.evaluate([alone]))[0],
    })
    return {
      kith: 'tuned',
      version: 1,
      ...judgment,
      settings: judgment.candidate === 'tuned' ? (found?.settings ?? alone!) : base,
      measure,
      level,
      strict,
      texts: evaluator.texts && !(alone && judgment.candidate === 'tuned'),
      queries: evaluator.queries,
      trials: searched ? trials : 0,
      folds: searched ? folds : 0,
      seed,
    }
  } catch (error) {
    // After an abort, other failures are its consequences: the abort is the error to report.
    throwIfAborted(signal)
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** The settings without the words, for texts that do harm. */
function embeddingsOnly(base: MethodSettings): MethodSettings {
  return { ...base, mix: 'standard', views: { vectors: { graph: 1, score: 1 } } }
}

function check({ trials, seed, queries }: { trials: number; seed: number; queries: number }): void {
  range({ from: 1, integer: true })('trials', trials)
  range({ from: 0, integer: true })('seed', seed)
  if (queries < 2) {
    throw new KithError('BAD_INPUT', `tuning needs at least 2 judged queries, there are ${queries}`)
  }
}
