/**
 * Internal: the graph builder and the parts of checkpoints, for training. It may change with any
 * version; programs use the package's main entry.
 */
export { buildEncoder, buildTrainable, type EncoderGraph } from './build-model.ts'
export { findTensors, readWeights, type Weights } from './checkpoint.ts'
export {
  type Attribute,
  type Dim,
  type DType,
  type GradientRule,
  Graph,
  type GraphNode,
  type Value,
} from './graph/graph.ts'
export { toOnnx } from './graph/onnx.ts'
export * as operations from './graph/operations.ts'
export type { Drop } from './layers.ts'
export { asCheckpoint } from './model.ts'
export { writeModelFiles } from './model-files.ts'
export { WORDS } from './parameter-names.ts'
export { embeddings } from './pooling.ts'
export { readTokenizerFiles, type TokenizerFiles } from './tokenizer-files.ts'
