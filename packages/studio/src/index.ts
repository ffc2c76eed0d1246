/** Kith Studio, the page that shows the neighbourhood, and the rerank server. */
export { openSearchStore, type SearchStore, type SearchStoreOptions } from '@kith/stores/internal'
export { demoFiles } from './demo-files.ts'
export {
  type ExportOptions,
  exportBytes,
  exportedFiles,
  exportStudio,
  type StudioExport,
} from './export-studio.ts'
export { defaultLimits, type Limits } from './serve/limits.ts'
export {
  defaultAddress,
  type RunningServer,
  type ServeOptions,
  startServer,
} from './serve/server.ts'
export { openTextModel, type TextModel } from './serve/text-model.ts'
export { StudioCollection, type StudioCollectionOptions } from './studio-collection.ts'
export { type Studio, startStudio } from './studio-server.ts'
export type { StudioOptions } from './studio-sources.ts'
export type { StudioFiles, StudioInfo } from './studio-wire.ts'
