import { hashedWords, shuffle } from '@kith/base/random'
import { KithError, type MethodSettings } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import type { Evaluator } from '../evaluate/evaluator.ts'
import { checkSpace, type Parameters, type Space } from '../search/space.ts'
import { type FinishedTrial, ROUND, suggestTpe } from '../search/tpe.ts'
import type { TuneOptions } from '../tune.ts'
import { parametersOf, settingSpace, settingsOf } from './setting-space.ts'
import { StudyFile, type TrialLine } from './study-file.ts'

/** Options with all defaults filled in. */
type SearchOptions = TuneOptions & {
  base: MethodSettings
  trials: number
  folds: number
  seed: number
}

/** The result of a search. */
interface FoundSettings {
  /** The best settings on all queries. */
  settings: MethodSettings
  /** Each query's value with the best settings of the study that did not learn from the query. */
  heldOut: Float64Array
}

/** Searches once on all queries, and once per fold without the fold. */
export async function searchSettings(
  evaluator: Evaluator,
  options: SearchOptions,
): Promise<FoundSettings> {
  const { base, trials, folds, seed, measure, level, strict, onProgress, signal } = options
  const space =
    options.space ?? settingSpace({ ...evaluator, methods: options.methods, mix: base.mix })
  checkSpace(space)
  const foldOf = splitFolds(evaluator.queries, folds, seed, evaluator.groups)
  const queries = [...foldOf.keys()]
  const learning = [
    queries,
    ...Array.from({ length: folds }, (_, fold) =>
      queries.filter((query) => foldOf[query] !== fold),
    ),
  ]
  const { fingerprint } = options
  const decisive = { measure, level, strict, seed, folds, queries: queries.length, base, space }
  const file = options.study
    ? await StudyFile.open(options.study, { ...decisive, fingerprint })
    : undefined
  const studies = await runStudies({
    evaluator,
    space,
    start: parametersOf(base, space),
    base,
    seed,
    trials,
    learning,
    file,
    onTrials: onProgress && ((done) => onProgress(done, trials * learning.length)),
    signal,
  })
  const [settings, ...chosen] = studies.map((study) => settingsOf(bestOf(study).parameters, base))
  options.onFolds?.(
    chosen.map((of, fold) => ({
      settings: of,
      queries: queries.filter((query) => foldOf[query] === fold),
    })),
  )
  const values = await evaluator.evaluate(chosen)
  const heldOut = Float64Array.from(queries, (query) => values[foldOf[query]!]![query]!)
  return { settings: settings!, heldOut }
}

/** The inputs that several studies share. */
interface StudiesPlan {
  evaluator: Evaluator
  space: Space
  start: Parameters
  /** The values of settings that the parameters do not name. */
  base: MethodSettings
  seed: number
  /** The number of trials per study. */
  trials: number
  /** The queries that each study learns from; a study never sees the value of another query. */
  learning: readonly (readonly number[])[]
  file?: StudyFile | undefined
  /**
   * Called with the number of trials done, over all studies; the first call counts the trials in
   * the file.
   */
  onTrials?: ((done: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** The finished trials of every study. */
type Studies = readonly (readonly FinishedTrial[])[]

/**
 * Runs several studies in parallel, round by round: the trials of a round are evaluated together,
 * equal settings once. The first rounds, drawn evenly, are the same in all studies.
 */
async function runStudies(plan: StudiesPlan): Promise<Studies> {
  const { space, start, seed, trials, learning, file, onTrials, signal } = plan
  const finished = learning.map((): FinishedTrial[] => [])
  const known = new Map<string, number>()
  for (const line of file?.trials ?? []) known.set(keyOf(line), line.value)
  let started = false
  const tell = () => onTrials?.(finished.reduce((sum, { length }) => sum + length, 0))
  for (let from = 0; from < trials; from += ROUND) {
    throwIfAborted(signal)
    const round = finished.flatMap((own, study) =>
      suggestTpe({ space, seed, study, start }, own)
        .slice(0, trials - from)
        .map((parameters, i) => ({ study, trial: from + i, parameters })),
    )
    const open = round.filter((trial) => !known.has(keyOf(trial)))
    if (open.length > 0 && !started) {
      started = true
      tell()
    }
    const lines = await measureTrials(plan, open)
    await file?.append(lines)
    for (const line of lines) known.set(keyOf(line), line.value)
    for (const trial of round) {
      const { study, parameters } = trial
      finished[study]!.push({ parameters, value: known.get(keyOf(trial))! })
    }
    if (started) tell()
  }
  if (!started) tell()
  return finished
}

/**
 * Returns the best trial of a study; among equal trials the first, which is nearest to the default.
 */
function bestOf(trials: readonly FinishedTrial[]): FinishedTrial {
  return trials.reduce((best, trial) => (trial.value > best.value ? trial : best))
}

/**
 * Returns the key of a trial in a study file. The key contains the parameters, because another
 * version may try others.
 */
function keyOf({ study, trial, parameters }: Omit<TrialLine, 'value'>): string {
  return JSON.stringify([study, trial, parameters])
}

/** Evaluates trials, equal trials once, each on the queries of the studies that have the trial. */
async function measureTrials(
  { evaluator, base, learning }: StudiesPlan,
  open: readonly Omit<TrialLine, 'value'>[],
): Promise<TrialLine[]> {
  const distinct = new Map<string, Set<number>>()
  for (const { parameters, study } of open) {
    const key = JSON.stringify(parameters)
    const wanted = distinct.get(key) ?? new Set()
    for (const query of learning[study]!) wanted.add(query)
    distinct.set(key, wanted)
  }
  if (distinct.size === 0) return []
  const keys = [...distinct.keys()]
  const settings = keys.map((key) => settingsOf(JSON.parse(key), base))
  const values = await evaluator.evaluate(settings, [...distinct.values()])
  return open.map((trial) => {
    const own = values[keys.indexOf(JSON.stringify(trial.parameters))]!
    const queries = learning[trial.study]!
    const value = queries.reduce((sum, query) => sum + own[query]!, 0) / queries.length
    return { ...trial, value }
  })
}

/** The number of a random stream that no trial uses. */
const FOLDS_STREAM = 2 ** 40

/**
 * Splits queries into folds of nearly equal size; returns the fold of each query. Queries of one
 * group stay together, so that near-copies of a query are not used both to learn and to test.
 *
 * @param groups The group of each query; without groups, each query is its own group.
 */
export function splitFolds(
  queries: number,
  folds: number,
  seed: number,
  groups?: readonly string[],
): Uint32Array {
  const members = new Map<string, number[]>()
  for (let query = 0; query < queries; query++) {
    const group = groups?.[query] ?? `${query}`
    members.set(group, [...(members.get(group) ?? []), query])
  }
  if (!Number.isInteger(folds) || folds < 2 || folds > members.size) {
    const what = groups ? `${members.size} groups of queries` : `${queries} queries`
    throw new KithError(
      'BAD_SETTING',
      `folds must be a whole number from 2 to ${members.size} (${what}), got ${folds}`,
    )
  }
  // The largest groups come first: small groups then even out the sizes of the folds.
  const order = shuffle([...members.values()], hashedWords(seed, FOLDS_STREAM)).sort(
    (a, b) => b.length - a.length,
  )
  const sizes = new Array<number>(folds).fill(0)
  const result = new Uint32Array(queries)
  for (const group of order) {
    const fold = sizes.indexOf(Math.min(...sizes))
    sizes[fold]! += group.length
    for (const query of group) result[query] = fold
  }
  return result
}
