/**
 * Internal: the parts of a training step, which benchmarks measure. It may change with any version.
 */
export { EncoderModel } from './models/encoder-model.ts'
export { adamw, Optimizer } from './optimizer/optimizer.ts'
export { TrainingStep } from './run/training-step.ts'
