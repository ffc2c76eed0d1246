/** The process of a lane: a session that encodes what messages bring. */
import { KithError, type KithErrorCode } from '@kith/core'
import { type EncoderSession, openSession, type SessionSource, type TokenBatch } from './session.ts'

/** What the process is asked: to load a model, then to encode batches with it. */
export type Request = { source: SessionSource; threads: number } | TokenBatch

/** What it answers to each batch. */
export type Answer =
  | { rows: Float32Array }
  | { error: { code: KithErrorCode | undefined; message: string } }

let session: Promise<EncoderSession> | undefined

process.on('message', async (request: Request) => {
  if ('source' in request) {
    session = openSession(request.source, request.threads)
    // The first batch hears why there is none.
    session.catch(() => {})
    return
  }
  let answer: Answer
  try {
    answer = { rows: await (await session!)(request) }
  } catch (error) {
    const code = error instanceof KithError ? error.code : undefined
    answer = { error: { code, message: (error as Error).message.replace(/^kith: /, '') } }
  }
  // A parent that is gone hears nothing.
  process.send?.(answer, undefined, undefined, () => {})
})

// It lives as long as its parent, which also decides what a signal to both of them means.
process.on('disconnect', () => process.exit())
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
