import type { Comparison } from '@kith/ir'
import type { Figure } from '../plots/figure.ts'
import type { QueryRows } from '../sections/query-rows.ts'

/** The contents of a report; parts that are not set are left out. */
export interface ReportData {
  title?: string | undefined
  /** The subject of the report, in a sentence. */
  about?: string | undefined
  /** The name of the dataset. */
  collection?: string | undefined
  /** The files that were compared or used for the comparison: runs, judgments, texts. */
  inputs?: readonly ReportInput[] | undefined
  /**
   * The runs, in the format of `kith eval --json`; all runs but the first are compared with the
   * first.
   */
  runs?: readonly ReportRun[] | undefined
  /** The measure of the verdict. Default: the first measure of the first run. */
  measure?: string | undefined
  /** The values and rankings of each query in two of the runs, from `queryRows`. */
  queries?: (QueryRows & { before: string; after: string }) | undefined
  figures?: readonly Figure[] | undefined
  /** Further findings. */
  tables?: readonly ReportTable[] | undefined
  settings?: Readonly<Record<string, unknown>> | undefined
  versions?: Readonly<Record<string, string>> | undefined
  /** The commands that reproduce the report. */
  commands?: readonly string[] | undefined
  /** The time of the report. Without it, the same data gives the same bytes. */
  generatedAt?: string | undefined
}

/** A finding as a table with a few words and figures. */
export interface ReportTable {
  title: string
  /** The finding in words, in a sentence or two. */
  note?: string | undefined
  /** The rows of the table; the first row is the header. */
  rows: readonly (readonly string[])[]
}

/** A file with its kind and its size, such as `run`, `bm25.trec`, `225 queries`. */
export interface ReportInput {
  what: string
  file: string
  size?: string | undefined
}

/** A run and its measures. */
export interface ReportRun {
  name: string
  /** How many queries were evaluated. */
  queries: number
  /** The mean of each measure. */
  measures: Readonly<Record<string, number>>
  /** The differences from the first run, by measure. */
  comparison?: Readonly<Record<string, ReportComparison>> | undefined
}

/** A comparison with the first run. */
export interface ReportComparison
  extends Pick<Comparison, 'difference' | 'wins' | 'ties' | 'losses' | 'tTest'> {
  /** The p-value of the randomization test, corrected for the number of runs. */
  p: number
}
