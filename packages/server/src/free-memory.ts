import { MessageChannel } from 'node:worker_threads'

const { port1: closed } = new MessageChannel()
closed.close()

/**
 * Frees the memory of buffers at once: a message to a closed port takes them along. V8 counts such
 * memory until it collects garbage, and would collect all garbage several times per second because
 * of the bodies of requests.
 *
 * @param buffers Buffers that nobody reads again; they are empty afterwards. A buffer that shares its
 * memory with others is left alone.
 */
export function freeMemory(buffers: readonly Buffer[]): void {
  const whole = buffers.filter((buffer) => buffer.length === buffer.buffer.byteLength)
  const memory = whole.map(({ buffer }) => buffer as ArrayBuffer)
  closed.postMessage(undefined, memory)
}
