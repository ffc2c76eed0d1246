/**
 * Internal: the defaults, choices and default files of jobs, which the command line's help shows,
 * and the types that all jobs share. It may change with any version; the package's main entry has
 * the types for programs.
 */

export {
  type Missing,
  type MissingPolicy,
  type MissingReport,
  missingPolicies,
  someMissing,
} from '../join/missing.ts'
export type { StatisticsSource } from '../join/statistics.ts'
export type { DocumentPlace } from '../join/stores.ts'
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
