/** Fuses several runs into one. */
export {
  defaultRrfK,
  type FuseInputs,
  type FuseResult,
  type Fusion,
  fuseRuns,
  fusions,
} from './fuse-runs.ts'
