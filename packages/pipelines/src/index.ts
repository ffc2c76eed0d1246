/** Whole jobs, callable: files and stores in, results out. */
export { type MissingPolicy, missingPolicies } from './join/missing.ts'
