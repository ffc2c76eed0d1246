import { stat } from 'node:fs/promises'
import { ProcessWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import { countParameters } from './network/build-model.ts'
import type { SessionSource, TokenBatch } from './session.ts'

/** The number of sessions, and the threads per session. */
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

/**
 * Milliseconds before another session is started, about half of a session's load time: a few texts
 * finish before another session is ready.
 */
const PATIENCE = 500

/**
 * Opens a pool of sessions in separate processes. The first session starts with the first batch,
 * further sessions start when batches have to wait. onnxruntime blocks its thread, and terminating
 * a blocked worker thread would end the whole program.
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

/**
 * Maximum memory for weights in bytes. Each session has its own copy, so large models get fewer
 * sessions.
 */
const WEIGHT_BYTES = 2 ** 31

/** Opens a pool of sessions for a number of cores. */
export async function openSizedPool(source: SessionSource, cores: number): Promise<SessionPool> {
  return openSessionPool(source, poolSize(cores, await weightBytes(source)))
}

async function weightBytes(source: SessionSource): Promise<number> {
  return 'file' in source ? (await stat(source.file)).size : 4 * countParameters(source.config)
}

/**
 * Returns a pool size with one session per core, or as many as fit into memory, with more threads
 * each.
 */
function poolSize(cores: number, bytes: number): PoolSize {
  const sessions = Math.max(1, Math.min(cores, Math.floor(WEIGHT_BYTES / bytes)))
  return { sessions, threads: Math.floor(cores / sessions) }
}
