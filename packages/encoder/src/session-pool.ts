import { stat } from 'node:fs/promises'
import { ProcessWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import { countParameters } from './network/build-model.ts'
import type { SessionSource, TokenBatch } from './session.ts'

/** How many sessions there are, and the threads of each. */
interface PoolSize {
  sessions: number
  threads: number
}

/** The data that a session's process starts with. */
export interface SessionData {
  source: SessionSource
  threads: number
}

/** Sessions that share a queue of batches. */
export type SessionPool = WorkerPool<TokenBatch, Float32Array>

const entry = workerEntry(import.meta.url, 'session-process.js')

/** About half of the time that a session takes to load: a few texts are done sooner than another is there. */
const PATIENCE = 500

/**
 * Sessions in separate processes, started as batches come, the second when batches have to wait.
 * onnxruntime blocks the thread that it runs on, and ending a worker thread meanwhile would end the
 * whole program.
 */
function openSessionPool(source: SessionSource, { sessions, threads }: PoolSize): SessionPool {
  const data: SessionData = { source, threads }
  const job = 'an encoder process'
  const memoryAdvice = 'probably out of memory: use fewer threads or a smaller model'
  return new WorkerPool({
    start: () => new ProcessWorker({ entry, data, job, memoryAdvice }),
    size: sessions,
    patience: PATIENCE,
    closed: 'the encoder was closed',
  })
}

/** Memory for weights. Each session has its own copy, so large models get fewer sessions. */
const WEIGHT_BYTES = 2 ** 31

/** Sessions of a model for a number of cores. */
export async function openSizedPool(source: SessionSource, cores: number): Promise<SessionPool> {
  return openSessionPool(source, poolSize(cores, await weightBytes(source)))
}

async function weightBytes(source: SessionSource): Promise<number> {
  return 'file' in source ? (await stat(source.file)).size : 4 * countParameters(source.config)
}

/** As many sessions as there are cores, or as fit into memory, with more threads for each. */
function poolSize(cores: number, bytes: number): PoolSize {
  const sessions = Math.max(1, Math.min(cores, Math.floor(WEIGHT_BYTES / bytes)))
  return { sessions, threads: Math.floor(cores / sessions) }
}
