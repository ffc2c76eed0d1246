import type { IncomingMessage } from 'node:http'
import { overloaded, Problem } from './problem.ts'

/** Bytes of all bodies that are in memory at the same time. */
const ALL_BODIES = 256 * 2 ** 20

/** Reads the bodies of requests, within a limit for each and one for all together. */
export class BodyReader {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Reads a body and hands it on; its memory counts until that is done. */
  async use<T>(incoming: IncomingMessage, handle: (body: Buffer) => Promise<T>): Promise<T> {
    const announced = Number(incoming.headers['content-length'] ?? 0)
    if (announced > this.#most) throw this.#tooLarge()
    let length = 0
    const count = (bytes: number): void => {
      length += bytes
      this.#held += bytes
      if (length > this.#most) throw this.#tooLarge()
      // Bytes count as they arrive: a request that only announces many does not block others.
      if (this.#held > ALL_BODIES) throw overloaded('too many large requests at the same time')
    }
    try {
      return await handle(await read(incoming, count))
    } finally {
      this.#held -= length
    }
  }

  #tooLarge(): Problem {
    const limit = `${this.#most} bytes`
    return new Problem(413, `the body is larger than ${limit}: send fewer documents at a time`)
  }
}

function read(incoming: IncomingMessage, count: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => {
      try {
        count(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        incoming.removeAllListeners('data')
        incoming.pause()
        reject(error)
      }
    })
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    incoming.on('error', () => reject(new Problem(400, 'the request ended before its body did')))
  })
}
