import type { MethodSettings } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import type { Evaluator } from '../evaluate/evaluator.ts'
import type { Parameters, Space } from '../search/space.ts'
import { type FinishedTrial, ROUND } from '../search/suggest.ts'
import { suggestTpe } from '../search/tpe.ts'
import { settingsOf } from '../settings/setting-space.ts'
import type { StudyFile, TrialLine } from './study-file.ts'

/** The inputs that several studies share. */
export interface StudiesPlan {
  evaluator: Evaluator
  space: Space
  start: Parameters
  /** The settings that the parameters do not name. */
  base: MethodSettings
  seed: number
  /** How many trials each study makes. */
  trials: number
  /** For each study the queries that it learns from; it never sees a value of another. */
  learning: readonly (readonly number[])[]
  file?: StudyFile | undefined
  /** Called with the number of trials done, over all studies: first with those that the file has. */
  onTrials?: ((done: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** The finished trials of every study. */
export type Studies = readonly (readonly FinishedTrial[])[]

/**
 * Runs several studies side by side, round after round: their trials of a round are measured
 * in one go, each settings once. The first rounds, drawn evenly, are the same in all studies.
 */
export async function runStudies(plan: StudiesPlan): Promise<Studies> {
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

/** The best trial of a study; of equal ones the first, as that is nearer to the default. */
export function bestOf(trials: readonly FinishedTrial[]): FinishedTrial {
  return trials.reduce((best, trial) => (trial.value > best.value ? trial : best))
}

/** The key of a trial in a study file. It has the parameters too: another version may try others. */
function keyOf({ study, trial, parameters }: Omit<TrialLine, 'value'>): string {
  return JSON.stringify([study, trial, parameters])
}

/** Measures trials, equal ones once, each on the queries of the studies that have it. */
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
