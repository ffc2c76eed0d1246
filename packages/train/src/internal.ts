/**
 * Internal: defaults, names and schedule of training, for Kith's own packages; loads no runtime.
 */
export { lossNamed, lossNames } from './losses.ts'
export { optimizerNames } from './optimizer/optimizer.ts'
export { Schedule } from './optimizer/schedule.ts'
export { modelIdentity } from './run/identity.ts'
export { criterion } from './run/validate.ts'
export { trainDefaults, trainPresets, trainTable } from './settings.ts'
