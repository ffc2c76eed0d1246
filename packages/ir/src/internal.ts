/**
 * Internal: plumbing that Kith's own packages share. It may change with any version; programs use
 * the package's main entry.
 */
export { tQuantile } from './stats/t-distribution.ts'
