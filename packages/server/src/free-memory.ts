import { MessageChannel } from 'node:worker_threads'

const { port1: closed } = new MessageChannel()
closed.close()

/**
 * Frees the memory of buffers at once, by transferring them to a closed port. Otherwise V8 counts
 * the memory until the next garbage collection, and the bodies of requests would cause several full
 * collections per second.
 *
 * @param buffers Buffers that are not read again; they are empty afterwards. A buffer that shares its
 * memory with other buffers is left alone.
 */
export function freeMemory(buffers: readonly Buffer[]): void {
  const whole = buffers.filter((buffer) => buffer.length === buffer.buffer.byteLength)
  const memory = whole.map(({ buffer }) => buffer as ArrayBuffer)
  closed.postMessage(undefined, memory)
}
