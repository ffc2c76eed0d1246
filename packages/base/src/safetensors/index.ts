/**
 * Internal: the one reader and writer of safetensors files, for Kith's own packages. It may change
 * with any version.
 */
export { readTensorBytes, readTensors } from './read-tensors.ts'
export { readMetadata, readTensorList, type StoredTensor } from './tensor-list.ts'
export { tensorHeader, type WrittenTensor, writeTensors } from './write-tensors.ts'
