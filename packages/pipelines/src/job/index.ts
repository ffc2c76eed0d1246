/**
 * Internal: the defaults, choices and default files of jobs for the command line's help, checks
 * that it runs before it makes a dataset's files, and the types that all jobs share. These exports
 * may change in any version; the package's main entry has the types for programs.
 */

export { parseGate } from '../eval/gate.ts'
export {
  type Missing,
  type MissingPolicy,
  type MissingReport,
  missingPolicies,
  someMissing,
} from '../join/missing.ts'
export type { DocumentPlace } from '../join/place.ts'
export type { StatisticsSource } from '../join/statistics.ts'
export { labelWork, layoutOf } from '../labels/label-work.ts'
export { listTable } from '../rerank/list-table.ts'
export { methodsOf, refuseUnusedRelevance, usesRelevance } from './checks.ts'
export type { Hooks, JobProgress } from './hooks.ts'
export {
  convertedKinds,
  fusions,
  jobDefaults,
  labelFormats,
  labelValues,
  outsidePolicies,
  pageBeside,
  studyBeside,
  trainingStudy,
  usualMeasures,
} from './job-defaults.ts'
