import { KithError } from '@kith/core'
import { range } from '@kith/core/internal'
import { type Graph, toOnnx, type Value } from '@kith/encoder/internal'
import { InferenceSession, listSupportedBackends, Tensor } from '@kith/encoder/runtime'

/** The device that graphs run on. */
export interface DeviceOptions {
  /**
   * `cpu` (default), or another device of the installed onnxruntime, such as `cuda` or `webgpu`.
   */
  device?: string | undefined
  /** Number of CPU threads; default 1. */
  threads?: number | undefined
}

/** Creates a session for a graph whose parameters are inputs. */
export async function openGraph(
  graph: Graph,
  { device = 'cpu', threads = 1 }: DeviceOptions,
): Promise<InferenceSession> {
  range({ from: 1, integer: true })('threads', threads)
  const available = listSupportedBackends().map(({ name }) => name)
  if (!available.includes(device)) throw unusable(device, `available: ${available.join(', ')}`)
  const session = InferenceSession.create(toOnnx(graph).toBytes(), {
    executionProviders: [device],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Errors only: warnings concern nodes that onnxruntime's own optimizer has created.
    logSeverityLevel: 3,
    // Threads that spin while waiting would take CPU time from other programs.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  return session.catch((error: Error) => {
    // Every graph of Kith runs on a CPU: a failure there is a bug, not a user error.
    throw device === 'cpu' ? error : unusable(device, error.message.trim())
  })
}

function unusable(device: string, reason: string): KithError {
  const problem = `the device "${device}" is not available (${reason}); use cpu`
  return new KithError('BAD_SETTING', problem)
}

/**
 * Wraps weights as tensors that share their memory, so that the next run uses the updated weights.
 */
export function weightFeeds(
  parameters: readonly Value[],
  weights: ReadonlyMap<string, Float32Array>,
): Record<string, Tensor> {
  return Object.fromEntries(
    parameters.map(({ name, shape }) => {
      return [name, new Tensor('float32', weights.get(name)!, shape as number[])]
    }),
  )
}
