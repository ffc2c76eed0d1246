/**
 * Internal: the files and sizes of the studio, for Kith's own packages. They may change with any
 * version; programs use the package's main entry.
 */
export { exportBytes, exportedFiles } from './export-studio.ts'
export { demoFiles } from './studio-context.ts'
