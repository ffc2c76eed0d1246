import type { Parameters, Space } from './space.ts'

/** A trial whose value is known; more is better. */
export interface FinishedTrial {
  parameters: Parameters
  value: number
}

/** Trials are suggested in rounds of this many, whatever the number of workers. */
export const ROUND = 8

/** The parameters of a study's suggestions, apart from its finished trials. */
export interface Recipe {
  space: Space
  seed: number
  /** Studies with the same seed share what is drawn evenly and nothing else. */
  study: number
  /** The first trial. */
  start: Parameters
  /** Trials in a round, and how many are drawn evenly first; by default `ROUND` and three rounds. */
  round?: number | undefined
  even?: number | undefined
}

/** A way to choose trials: the next round of them after the finished ones, which are whole rounds. */
export type Suggest = (recipe: Recipe, finished: readonly FinishedTrial[]) => Parameters[]
