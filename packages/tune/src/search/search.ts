import { StudyFile } from '../settings/study-file.ts'
import { checkSpace, type Parameters, type Space } from './space.ts'
import { suggestTpe } from './tpe.ts'

/** A trial whose value is known, and how it came to it. */
export interface SearchedTrial {
  trial: number
  parameters: Parameters
  /** The best value that the trial reported. */
  value: number
  /** The best value so far, report by report. */
  course: readonly number[]
}

/** A trial under way; it reports values as it goes. */
export interface RunningTrial {
  trial: number
  parameters: Parameters
  /** Takes the next value, more is better; false says that the trial may end: it falls behind. */
  report(value: number): boolean
}

/** How a search goes. */
export interface StudyOptions {
  space: Space
  /** The first trial: where a user would have started. */
  start: Parameters
  trials: number
  seed?: number | undefined
  /** A file that stores finished trials: the same search resumes with them. */
  study?: string | undefined
  /** A digest of the inputs; a study file of other inputs is refused. */
  fingerprint?: string | undefined
  onTrial?:
    | ((done: SearchedTrial, ended: 'whole' | 'pruned' | 'known') => void | Promise<void>)
    | undefined
}

/** Trials that are drawn evenly before the search learns from them. */
const EVEN = 8

/**
 * Searches a space with trials that take long and show early what they are worth, such as trainings.
 * A trial that has fallen behind the median of the others at the same point is ended. Trials go
 * one after the other, each learning from all before it.
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

/** Trials that must have come as far before one is judged by them, and reports before it is judged at all. */
const OTHERS = 4
const GRACE = 2

/** The course of a trial: its best value so far, compared with the courses of others. */
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

  /** Takes the next value; false once the best one is below the median of the others' at this point. */
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
