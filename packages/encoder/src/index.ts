/** Text to vectors: BERT-family encoders from safetensors, as ONNX graphs. */
export type { Activation, EncoderConfig } from './config.ts'
export type { Encoded, EncodeOptions, Encoder, Role } from './encoder.ts'
export { exportOnnx } from './export-onnx.ts'
export type { DownloadOptions } from './hub.ts'
export { type EncoderOptions, loadEncoder } from './load-encoder.ts'
export { type Checkpoint, type Model, type ModelOptions, openModel } from './model.ts'
export type { Head, Pooling } from './pooling.ts'
