import type { PageSettings } from '../model/page-settings.ts'
import type { SliderName } from './sliders.ts'

/** The page's request to the worker; a new request ends the work on the one before. */
export interface MeanWish {
  settings: PageSettings
  texts: boolean
  /** The setting along the curve, and its values there. */
  along: SliderName
  stops: number[]
}

/** Mean nDCG@10 over the judged queries, as far as they are done. */
export interface MeanReport {
  along: SliderName
  /** How many queries the means of `before` and `after` are over. */
  done: number
  total: number
  before: number
  after: number
  /** The curve over the queries done so far. */
  curve: { value: number; mean: number }[]
  /** Whether all of it is over all queries. */
  complete: boolean
}

/** The worker's answer. */
export type MeanAnswer = MeanReport | { error: string }
