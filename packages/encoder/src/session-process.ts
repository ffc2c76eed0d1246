/** The process of a session: encodes the batches in its requests. */
import { serveProcess } from '@kith/base/pool/service'
import { openSession, type TokenBatch } from './session.ts'
import type { SessionData } from './session-pool.ts'

serveProcess<SessionData, TokenBatch, Float32Array>(async ({ source, threads }) => ({
  run: await openSession(source, threads),
}))
