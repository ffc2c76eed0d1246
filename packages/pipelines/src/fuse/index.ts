/** Fuses several runs into one. */
export { type FuseInputs, type FuseResult, type Fusion, fuseRuns, fusions } from './fuse-runs.ts'
