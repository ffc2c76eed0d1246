/** Text to vectors: BERT-family encoders from safetensors, as ONNX graphs. */
export { buildEncoder, buildTrainable, type EncoderGraph } from './build-model.ts'
export { findTensors, readWeights, type Weights } from './checkpoint.ts'
export type { Activation, EncoderConfig } from './config.ts'
export type { Encoded, EncodeOptions, Encoder, Role } from './encoder.ts'
export { exportOnnx } from './export-onnx.ts'
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
export type { DownloadOptions } from './hub.ts'
export type { Drop } from './layers.ts'
export { type EncoderOptions, loadEncoder } from './load-encoder.ts'
export { asCheckpoint, type Checkpoint, type Model, type ModelOptions, openModel } from './model.ts'
export { writeModelFiles } from './model-files.ts'
export { WORDS } from './parameter-names.ts'
export { embeddings, type Head, type Pooling } from './pooling.ts'
export { readTokenizerFiles, type TokenizerFiles } from './tokenizer-files.ts'
