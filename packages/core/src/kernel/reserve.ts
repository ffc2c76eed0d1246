import { KithError } from '../error.ts'

const PAGE = 1 << 16

/** Grows a kernel's memory to at least so many bytes; the message of a failure names `candidates`. */
export function reserve(memory: WebAssembly.Memory, bytes: number, candidates: number): void {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE)
  if (missing <= 0) return
  try {
    memory.grow(missing)
  } catch {
    throw new KithError(
      'OUT_OF_MEMORY',
      `a context of ${candidates} candidates needs ${bytes} bytes, more than there are; lower contextSize`,
    )
  }
}
