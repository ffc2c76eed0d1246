import { StudyFile } from '../settings/study-file.ts'
import { checkSpace, type Parameters, type Space } from './space.ts'
import { suggestTpe } from './tpe.ts'

/** A finished trial, with its value and the values it reported on the way. */
export interface SearchedTrial {
  trial: number
  parameters: Parameters
  /** The best value that the trial reported. */
  value: number
  /** The best value so far, after each report. */
  course: readonly number[]
}

/** A trial in progress, which reports values. */
export interface RunningTrial {
  trial: number
  parameters: Parameters
  /**
   * Reports the next value, higher is better; returns false if the trial may end because it has
   * fallen behind.
   */
  report(value: number): boolean
}

/** Options of a search. */
export interface StudyOptions {
  space: Space
  /** The parameters of the first trial: a user's usual starting point. */
  start: Parameters
  trials: number
  seed?: number | undefined
  /** A file that stores finished trials, from which the same search resumes. */
  study?: string | undefined
  /** A digest of the inputs; a study file with a different digest is refused. */
  fingerprint?: string | undefined
  onTrial?:
    | ((done: SearchedTrial, ended: 'whole' | 'pruned' | 'known') => void | Promise<void>)
    | undefined
}

/** The number of evenly drawn trials before the search learns from trials. */
const EVEN = 8

/**
 * Searches a space with trials that take long and report intermediate values, such as trainings. A
 * trial that has fallen behind the median of the others at the same point is ended. Trials run one
 * after the other, and each learns from all trials before it.
 */
export async function search(
  run: (trial: RunningTrial) => Promise<void>,
  { space, start, trials, seed = 0, study, fingerprint, onTrial }: StudyOptions,
): Promise<SearchedTrial[]> {
  checkSpace(space)
  const file = study
    ? await StudyFile.open(study, { search: 1, seed, space, start, fingerprint })
    : undefined
  const finished: SearchedTrial[] = []
  const recipe = { space, seed, study: 0, start, round: 1, even: EVEN }
  for (let trial = 0; trial < trials; trial++) {
    const [parameters] = suggestTpe(recipe, finished) as [Parameters]
    const known = file?.trials[trial]
    if (known?.course && JSON.stringify(known.parameters) === JSON.stringify(parameters)) {
      finished.push({ trial, parameters, value: known.value, course: known.course })
      await onTrial?.(finished.at(-1)!, 'known')
      continue
    }
    const course = new MedianPruner(finished.map((one) => one.course))
    await run({ trial, parameters, report: (value) => course.add(value) })
    const { best: value, values } = course
    const done = { trial, parameters, value, course: values }
    await file?.append([{ study: 0, ...done }])
    finished.push(done)
    await onTrial?.(done, course.pruned ? 'pruned' : 'whole')
  }
  return finished
}

/**
 * The number of trials that must have reported as often before a trial is compared with them, and
 * the number of reports before a trial is compared at all.
 */
const OTHERS = 4
const GRACE = 2

/**
 * Compares a trial's best value so far with the best values of other trials after as many reports.
 */
export class MedianPruner {
  readonly #others: readonly (readonly number[])[]
  readonly values: number[] = []
  pruned = false

  constructor(others: readonly (readonly number[])[]) {
    this.#others = others
  }

  /** The best value; a trial without a report counts as worse than any other. */
  get best(): number {
    return this.values.at(-1) ?? -Number.MAX_VALUE
  }

  /**
   * Adds the next value; returns false once the best value is below the median of the others at
   * this point.
   */
  add(value: number): boolean {
    this.values.push(Math.max(this.best, Number.isFinite(value) ? value : -Number.MAX_VALUE))
    const at = this.values.length - 1
    if (this.values.length <= GRACE) return true
    const there = this.#others.flatMap((course) => course[at] ?? []).sort((a, b) => a - b)
    if (there.length < OTHERS) return true
    this.pruned = this.best < there[Math.floor(there.length / 2)]!
    return !this.pruned
  }
}
