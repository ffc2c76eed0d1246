/** Whole jobs, callable: files and stores in, results out. Each job also has a subpath of its own. */
export * from './audit/index.ts'
export * from './batches/index.ts'
export {
  Collection,
  type CollectionDocument,
  type CollectionInputs,
  type CollectionSearchOptions,
  type Found,
  openCollection,
  type Reasons,
} from './collection/index.ts'
export * from './convert/index.ts'
export * from './dataset/index.ts'
export * from './encode/index.ts'
export * from './eval/index.ts'
export * from './fuse/index.ts'
export * from './job/index.ts'
export * from './labels/index.ts'
export * from './load/index.ts'
export * from './report/index.ts'
export * from './rerank/index.ts'
export * from './search/index.ts'
export * from './terms/index.ts'
export * from './train/index.ts'
export * from './try/index.ts'
export * from './tune/index.ts'
