/**
 * Text encoders of the BERT family: loads safetensors checkpoints, and runs them as ONNX graphs.
 */

export {
  type CrossEncoded,
  type CrossEncodeOptions,
  type CrossEncoder,
  type CrossEncoderOptions,
  loadCrossEncoder,
} from './cross-encoder.ts'
export {
  type Encoded,
  type EncodeOptions,
  type Encoder,
  type EncoderOptions,
  loadEncoder,
} from './encoder.ts'
export type { Activation, EncoderConfig } from './model/config.ts'
export type { DownloadOptions } from './model/hub.ts'
export { type Checkpoint, type Model, type ModelOptions, openModel } from './model/model.ts'
export type { Prefixes, Role } from './model/model-folder.ts'
export type { Head, Pooling } from './network/pooling.ts'
