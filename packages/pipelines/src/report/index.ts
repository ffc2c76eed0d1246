/** Writes a page that compares runs. */
export { type ReportInputs, reportRuns } from './report-runs.ts'
