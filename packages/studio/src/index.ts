/** Kith Studio, the page that shows the neighborhood of a query. */

export { type ExportOptions, exportStudio, type StudioExport } from './export-studio.ts'
export { type Studio, startStudio } from './studio-app.ts'
export { StudioCollection, type StudioCollectionOptions } from './studio-collection.ts'
export type { StudioOptions } from './studio-context.ts'
export type { StudioFiles, StudioInfo } from './studio-wire.ts'
