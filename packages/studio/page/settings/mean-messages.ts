import type { PageSettings } from '../model/page-settings.ts'
import type { SliderName } from './sliders.ts'

/** What the page asks the worker for; a new wish ends the work on the one before. */
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

/** What the worker answers. */
export type MeanAnswer = MeanReport | { error: string }
