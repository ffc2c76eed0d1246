/**
 * Internal: the parts of a training step, for benchmarks. These exports may change in any version.
 */
export { EncoderModel } from './models/encoder-model.ts'
export { adamw, Optimizer } from './optimizer/optimizer.ts'
export { TrainingStep } from './run/training-step.ts'
