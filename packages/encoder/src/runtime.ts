/** Internal: the ONNX runtime without its telemetry, for everything that runs graphs. */

import { createRequire } from 'node:module'
import type * as runtime from 'onnxruntime-node'
import { disableTelemetry } from './disable-telemetry.ts'
import { findRuntime } from './find-runtime.ts'

disableTelemetry()
const loaded: typeof runtime = createRequire(import.meta.url)(findRuntime())

export const { InferenceSession, listSupportedBackends, Tensor } = loaded
export type InferenceSession = runtime.InferenceSession
export type Tensor = runtime.Tensor
/** How a session computes. */
export type SessionOptions = runtime.InferenceSession.SessionOptions
/** What a session gives, by name. */
export type Results = runtime.InferenceSession.OnnxValueMapType
