/** Datasets in folders: where their files are, and how missing files are made. */
export { type Dataset, type DatasetOptions, openDataset } from './dataset.ts'
export { encodeAndSearch, encodeDataset } from './encode-dataset.ts'
export type { Purpose } from './find-files.ts'
export type { RoleName } from './roles.ts'
