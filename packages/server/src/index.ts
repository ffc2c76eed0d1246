/** The rerank server. */
export { defaultLimits, type Limits } from './limits.ts'
export {
  defaultAddress,
  type RunningServer,
  type ServeOptions,
  startServer,
} from './server.ts'
export { openTextModel, type TextModel } from './text-model.ts'
