import { KithError } from '@kith/core'
import { type Graph, toOnnx } from '@kith/encoder'
import { InferenceSession, listSupportedBackends } from 'onnxruntime-node'

/** Where graphs run. */
export interface DeviceOptions {
  /** `cpu` (default), or what this machine's onnxruntime has besides, such as `cuda` or `webgpu`. */
  device?: string | undefined
  /** Threads on a CPU; default 1. */
  threads?: number | undefined
}

/** A session for a graph whose parameters are inputs. */
export async function openGraph(
  graph: Graph,
  { device = 'cpu', threads = 1 }: DeviceOptions,
): Promise<InferenceSession> {
  if (!Number.isInteger(threads) || threads < 1) {
    throw new KithError('BAD_SETTING', `threads is ${threads}, allowed: whole numbers from 1 on`)
  }
  const available = listSupportedBackends().map(({ name }) => name)
  if (!available.includes(device)) throw unusable(device, `there are ${available.join(', ')}`)
  const session = InferenceSession.create(toOnnx(graph).toBytes(), {
    executionProviders: [device],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Only what is wrong: warnings speak of nodes that its own optimiser has made.
    logSeverityLevel: 3,
    // Threads that wait for work by spinning would take the cores from everybody else.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  return session.catch((error: Error) => {
    // On a CPU every graph of ours runs: what fails there is no fault of the user's.
    throw device === 'cpu' ? error : unusable(device, error.message.trim())
  })
}

/** Runs a graph; memory that is not enough is an error that says what to do. */
export async function runGraph(
  session: InferenceSession,
  feeds: InferenceSession.FeedsType,
  fetches: InferenceSession.NullableOnnxValueMapType,
): Promise<InferenceSession.OnnxValueMapType> {
  try {
    return await session.run(feeds, fetches)
  } catch (error) {
    const { message } = error as Error
    if (!/alloc/i.test(message)) throw error
    const problem = `a batch does not fit into memory (${message.trim()}): lower batchSize, with accumulate for it, or listSize`
    throw new KithError('OUT_OF_MEMORY', problem)
  }
}

function unusable(device: string, reason: string): KithError {
  const problem = `the device "${device}" cannot be used here, cpu can: ${reason}`
  return new KithError('BAD_SETTING', problem)
}
