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
  /** The files that were compared, or compared with: runs, judgments, texts. */
  inputs?: readonly ReportInput[] | undefined
  /** The runs; all but the first are compared with the first. As `kith eval --json` has them. */
  runs?: readonly ReportRun[] | undefined
  /** The measure of the verdict; the first measure of the first run if not set. */
  measure?: string | undefined
  /** The values and rankings of each query in two of the runs, from `queryRows`. */
  queries?: (QueryRows & { before: string; after: string }) | undefined
  figures?: readonly Figure[] | undefined
  /** Further findings. */
  tables?: readonly ReportTable[] | undefined
  settings?: Readonly<Record<string, unknown>> | undefined
  versions?: Readonly<Record<string, string>> | undefined
  /** The commands that make the report again. */
  commands?: readonly string[] | undefined
  /** The time of the report. If it is not set, the same data gives the same bytes. */
  generatedAt?: string | undefined
}

/** A finding as a table of a few words and figures. */
export interface ReportTable {
  title: string
  /** The finding in words, in a sentence or two. */
  note?: string | undefined
  /** The first row is the head. */
  rows: readonly (readonly string[])[]
}

/** A file with its kind and its size, such as `run`, `bm25.trec`, `225 queries`. */
export interface ReportInput {
  what: string
  file: string
  size?: string | undefined
}

/** A run and its figures. */
export interface ReportRun {
  name: string
  /** How many queries were measured. */
  queries: number
  /** The mean of each measure. */
  measures: Readonly<Record<string, number>>
  /** How the run differs from the first one, by measure. */
  comparison?: Readonly<Record<string, ReportComparison>> | undefined
}

/** A comparison with the first run. */
export interface ReportComparison
  extends Pick<Comparison, 'difference' | 'wins' | 'ties' | 'losses' | 'tTest'> {
  /** The randomization test's p, corrected for the number of runs. */
  p: number
}
