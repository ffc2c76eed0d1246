import { stat } from 'node:fs/promises'
import { countParameters } from './network/build-model.ts'
import type { SessionSource } from './session.ts'
import { openSessionPool, type PoolSize, type SessionPool } from './session-pool.ts'

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
