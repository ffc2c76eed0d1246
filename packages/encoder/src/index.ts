/** Text to vectors: encoders of BERT's kind from safetensors, as ONNX graphs. */

export type { CrossEncoded, CrossEncodeOptions, CrossEncoder } from './cross-encoder.ts'
export type { Encoded, EncodeOptions, Encoder } from './encoder.ts'
export { exportOnnx } from './export-onnx.ts'
export { type CrossEncoderOptions, loadCrossEncoder } from './load-cross-encoder.ts'
export { type EncoderOptions, loadEncoder } from './load-encoder.ts'
export type { Activation, EncoderConfig } from './model/config.ts'
export type { DownloadOptions } from './model/hub.ts'
export { type Checkpoint, type Model, type ModelOptions, openModel } from './model/model.ts'
export type { Prefixes, Role } from './model/prefixes.ts'
export type { Head, Pooling } from './network/pooling.ts'
