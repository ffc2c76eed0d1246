/** What every job takes besides its files: callbacks, defaults, the policy for missing embeddings and texts. */

export {
  type Missing,
  type MissingPolicy,
  type MissingReport,
  missingPolicies,
} from '../join/missing.ts'
export type { StatisticsSource } from '../join/statistics.ts'
export type { DocumentPlace } from '../join/stores.ts'
export type { Hooks, JobProgress } from './hooks.ts'
export { jobDefaults, usualMeasures } from './job-defaults.ts'
