/**
 * Internal: the graph builder, the parts of checkpoints and the export of models, for training and
 * benchmarks. They may change with any version; programs use the package's main entry.
 */

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
export { findTensors, readWeights, type Weights } from './model/checkpoint.ts'
export { families } from './model/families.ts'
export { asCheckpoint } from './model/model.ts'
export { exportOnnx, writeModelFiles } from './model/model-files.ts'
export {
  buildEncoder,
  buildLower,
  buildTrainable,
  buildUpper,
  type EncoderGraph,
} from './network/build-model.ts'
export { type Drop, type DropPlaces, keep } from './network/layers.ts'
export { embeddings } from './network/pooling.ts'
export { type Batch, planBatches } from './run-texts.ts'
export { readTokenizerFiles, type TokenizerFiles } from './tokens/tokenizer-files.ts'
