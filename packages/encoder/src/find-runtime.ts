import { createRequire } from 'node:module'
import { KithError } from '@kith/core'

const { resolve } = createRequire(import.meta.url)

/**
 * Finds the ONNX runtime. The runtime is an optional dependency, because its install step downloads
 * a GPU build from another host: if that host cannot be reached, npm leaves the runtime out instead
 * of failing. The CPU build is in the package and needs no download.
 */
export function findRuntime(): string {
  try {
    return resolve('onnxruntime-node')
  } catch (error) {
    const advice = 'npm install --ignore-scripts @kith/encoder'
    const problem = `the ONNX runtime is missing, because npm could not download its GPU build; install it without that build: ${advice}`
    throw new KithError('BAD_INPUT', problem, { cause: error })
  }
}
