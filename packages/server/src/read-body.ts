import type { IncomingMessage } from 'node:http'
import { overloaded, Problem } from './problem.ts'
import { type Json, readJson } from './read-json.ts'

/** Bytes of all bodies that are in memory at the same time. */
const ALL_BODIES = 256 * 2 ** 20
/** Bytes of memory that is kept from body to body. */
const KEPT_ROOM = 2 ** 20

/** Reads the bodies of requests, within a limit for each and one for all together. */
export class BodyReader {
  readonly #most: number
  #held = 0
  /** Where the chunks of a body are joined; it is free again once that body is parsed. */
  #room = Buffer.alloc(0)

  constructor(most: number) {
    this.#most = most
  }

  /** Reads a body and hands it on; its memory counts until that is done. */
  async use<T>(incoming: IncomingMessage, handle: (body: Json) => Promise<T>): Promise<T> {
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
      return await handle(readJson(this.#join(await read(incoming, count), length)))
    } finally {
      this.#held -= length
    }
  }

  /** The chunks of a body as one, in memory that the next body overwrites. */
  #join(chunks: readonly Buffer[], length: number): Buffer {
    if (chunks.length === 1) return chunks[0]!
    const room = length > this.#room.length ? Buffer.allocUnsafeSlow(length) : this.#room
    if (length <= KEPT_ROOM) this.#room = room
    let at = 0
    for (const chunk of chunks) at += chunk.copy(room, at)
    return room.subarray(0, length)
  }

  #tooLarge(): Problem {
    const limit = `${this.#most} bytes`
    return new Problem(413, `the body is larger than ${limit}: send fewer documents at a time`)
  }
}

function read(incoming: IncomingMessage, count: (bytes: number) => void): Promise<Buffer[]> {
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
    incoming.on('end', () => resolve(chunks))
    incoming.on('error', () => reject(new Problem(400, 'the request ended before its body did')))
  })
}
