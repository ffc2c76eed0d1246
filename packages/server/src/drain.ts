import type { IncomingMessage } from 'node:http'

/** Bytes that are read for nothing before a client is answered that it sends too much. */
const MOST_BYTES = 64 * 2 ** 20
/** Milliseconds that this may take. */
const MOST_TIME = 500

/**
 * Reads and drops the rest of a request. A connection that is closed before the client has sent
 * everything is reset, and the client never sees why it was refused.
 */
export function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.readableEnded || incoming.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let bytes = 0
    const done = (): void => {
      clearTimeout(timer)
      incoming.off('data', count)
      resolve()
    }
    const timer = setTimeout(done, MOST_TIME)
    const count = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) done()
    }
    incoming.on('data', count).once('end', done).once('close', done)
    incoming.resume()
  })
}
