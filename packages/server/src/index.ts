/** The rerank server. */
export type { Limits } from './limits.ts'
export { type RunningServer, type ServeOptions, startServer } from './server.ts'
export { openTextModel, type TextModel } from './text-model.ts'
