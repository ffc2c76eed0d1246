/** Internal: the ONNX runtime without its telemetry, for everything that runs graphs. */

import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { KithError } from '@kith/core'
import type * as runtime from 'onnxruntime-node'
import { findRuntime } from './find-runtime.ts'

/** The variable that the ONNX runtime reads once, when it is loaded. */
const VARIABLE = 'ORT_DISABLE_TELEMETRY'

disableTelemetry()
const loaded: typeof runtime = createRequire(import.meta.url)(findRuntime())

export const { InferenceSession, listSupportedBackends, Tensor } = loaded
export type InferenceSession = runtime.InferenceSession
export type Tensor = runtime.Tensor
/** Options of a session. */
export type SessionOptions = runtime.InferenceSession.SessionOptions
/** The outputs of a session, by name. */
export type Results = runtime.InferenceSession.OnnxValueMapType

/**
 * Disables the telemetry of the ONNX runtime in this process, unless the environment variable is
 * already set. Call this function before the runtime is loaded: by default, the runtime looks up a
 * Microsoft host, and writes a device id and log files.
 *
 * @throws KithError in a worker thread without the variable: assignments to `process.env` of a
 * thread do not reach native code.
 */
function disableTelemetry(): void {
  if (process.env[VARIABLE] !== undefined) return
  if (!isMainThread) {
    const problem = `the ONNX runtime would send telemetry, which a worker thread cannot disable`
    const advice = `set process.env.${VARIABLE} = '1' before you start the worker`
    throw new KithError('BAD_INPUT', `${problem}; ${advice}`)
  }
  process.env[VARIABLE] = '1'
}
