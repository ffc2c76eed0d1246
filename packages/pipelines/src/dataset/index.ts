/** Datasets in folders: finds their files, and makes missing files. */
export { type Dataset, type DatasetOptions, openDataset } from './dataset.ts'
export { encodeAndSearch, encodeDataset } from './encode-dataset.ts'
export type { Purpose } from './find-files.ts'
export type { RoleName } from './roles.ts'
