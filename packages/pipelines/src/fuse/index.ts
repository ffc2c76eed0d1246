/** Fuses several runs into one. */
export type { Fusion } from '../job/job-defaults.ts'
export { type FuseInputs, type FuseResult, fuseRuns } from './fuse-runs.ts'
