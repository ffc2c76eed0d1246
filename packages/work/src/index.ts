/** Work on many machines: studies, jobs and results in PostgreSQL. */
export { type Patience, patiently } from './patience.ts'
export { Studies } from './studies.ts'
export type { Study, StudyFailure, StudyItem, StudyProgress, StudyResult } from './study.ts'
export { type Handler, type WorkEvent, type WorkOptions, work } from './worker.ts'
