import { FileError, writeAtomic } from '@kith/base'
import {
  KithError,
  type Method,
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
} from '@kith/core'
import { range, throwIfAborted } from '@kith/core/internal'
import type { ScorerOptions } from './evaluate/collection.ts'
import type { Evaluator } from './evaluate/evaluator.ts'
import type { Space } from './search/space.ts'
import { searchSettings } from './settings/search-settings.ts'
import { readSmallFile } from './settings/study-file.ts'
import { type Decision, FEW_QUERIES, judge, type Verdict } from './verdict.ts'

/** The default numbers of trials and folds, and the default seed. */
export const tuneDefaults = { trials: 200, folds: 5, seed: 0 } as const

/** The settings for the queries of a fold, chosen on all other folds. */
export interface FoldSettings {
  settings: MethodSettings
  queries: readonly number[]
}

/** Options of `tune`. */
export interface TuneOptions extends ScorerOptions {
  /** The settings to improve on; they change only on evidence. Default: the library's defaults. */
  base?: PartialMethodSettings | undefined
  /** The methods to choose from. Default: `neighbors` only. */
  methods?: readonly Method[] | undefined
  /** The settings to search. Default: all settings that matter. */
  space?: Space | undefined
  /** The number of trials per study. Default: 200. */
  trials?: number | undefined
  /** The number of folds that the queries are split into. Default: 5. */
  folds?: number | undefined
  /** The random seed. Default: 0. */
  seed?: number | undefined
  /** A file that stores finished trials, from which the next call with the same inputs resumes. */
  study?: string | undefined
  /** A digest of the inputs; a study file with a different digest is refused. */
  fingerprint?: string | undefined
  /** Called with the number of trials done and the total number, over all studies together. */
  onProgress?: ((done: number, total: number) => void) | undefined
  /**
   * Called with the settings that each fold's study chose, and the indices of the fold's queries.
   */
  onFolds?: ((folds: readonly FoldSettings[]) => void) | undefined
  /**
   * Aborting the signal closes the evaluator and rejects with `ABORTED`; the study can resume
   * later.
   */
  signal?: AbortSignal | undefined
}

/**
 * Searches for settings that rank better than the default, and tests them on held-out queries.
 *
 * For each fold of the queries a study searches on the other folds only, and its best settings
 * are tested on that fold: no query tests settings that it helped to choose or suggest. One more
 * study on all queries finds the settings to use. With few queries nothing is searched: `tune` only
 * decides between the default and no reranking (docs/method.md section 4).
 *
 * ```ts
 * const { verdict, settings, heldOut } = await tune(evaluator, { measure: 'nDCG@10', trials: 200 })
 * ```
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
    // After an abort, other errors are consequences: the abort is the error to report.
    throwIfAborted(signal)
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Returns the settings without the text view, for texts that worsen the ranking. */
function embeddingsOnly(base: MethodSettings): MethodSettings {
  return { ...base, mix: 'standard', views: { vectors: { graph: 1, score: 1 } } }
}

function check({ trials, seed, queries }: { trials: number; seed: number; queries: number }): void {
  range({ from: 1, integer: true })('trials', trials)
  range({ from: 0, integer: true })('seed', seed)
  if (queries < 2) {
    throw new KithError('BAD_INPUT', `tuning needs at least 2 judged queries, got ${queries}`)
  }
}

/** The result of tuning: the settings, the evidence and the verdict. The contents of `tuned.json`. */
export interface Tuned extends Decision {
  kith: 'tuned'
  version: 1
  /** The settings of `candidate`; with the verdict `keep-run`, they can still be forced. */
  settings: MethodSettings
  measure: string
  level: number
  strict: boolean
  /** Whether texts were a view. */
  texts: boolean
  /** The number of judged queries. */
  queries: number
  /** The number of trials per study, and of folds; 0 if nothing was searched. */
  trials: number
  folds: number
  seed: number
}

const verdicts: readonly Verdict[] = ['keep-run', 'default', 'tuned']

/** Maximum size of `tuned.json` in bytes; no such file comes near it. */
const LARGEST_FILE = 2 ** 20

/**
 * Writes `tuned.json` completely or not at all.
 *
 * ```ts
 * await writeTuned('tuned.json', await tune(evaluator, { measure: 'nDCG@10' }))
 * ```
 */
export async function writeTuned(file: string, tuned: Tuned): Promise<void> {
  await writeAtomic(file, (write) => write(`${JSON.stringify(tuned, undefined, 2)}\n`))
}

/**
 * Reads `tuned.json`.
 *
 * ```ts
 * const { verdict, settings } = await readTuned('tuned.json')
 * ```
 */
export async function readTuned(file: string): Promise<Tuned> {
  const text = await readSmallFile(file, LARGEST_FILE)
  if (text === undefined) throw new FileError(file, '', 'there is no such file')
  return parseTuned(text, file)
}

/** Parses and checks the contents of a `tuned.json`. */
export function parseTuned(text: string, file = 'tuned.json'): Tuned {
  const wrong = (problem: string) => new FileError(file, '', problem)
  let tuned: Partial<Tuned> | null
  try {
    tuned = JSON.parse(text)
  } catch (error) {
    throw wrong(`not JSON: ${(error as Error).message}`)
  }
  if (typeof tuned !== 'object' || tuned === null || tuned.kith !== 'tuned') {
    throw wrong('was not made by kith tune')
  }
  if (tuned.version !== 1) throw wrong(`expected version 1, got ${tuned.version}`)
  if (!verdicts.includes(tuned.verdict!))
    throw wrong(`the verdict must be one of ${verdicts.join(', ')}, got ${tuned.verdict}`)
  const { heldOut } = tuned
  const figures = [heldOut?.gain, heldOut?.t, heldOut?.p, heldOut?.ci?.[0], heldOut?.ci?.[1]]
  if (!figures.every(Number.isFinite)) throw wrong('the field heldOut is missing or incomplete')
  if (typeof tuned.settings !== 'object') throw wrong('the field settings is missing')
  if (typeof tuned.measure !== 'string') throw wrong('the field measure is missing')
  try {
    return { ...tuned, settings: resolveMethodSettings(tuned.settings) } as Tuned
  } catch (error) {
    if (!(error instanceof KithError)) throw error
    throw wrong(error.message)
  }
}
