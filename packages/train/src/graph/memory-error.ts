import { KithError } from '@kith/core'

/** How onnxruntime, and JavaScript, say that memory is not enough. */
const SAID =
  /failed to allocate[^\n]*|bad allocation|bad_alloc|(array buffer |)allocation failed|invalid typed array length[^\n]*/i

/** Turns an error about memory into one that says what to do; returns other errors unchanged. */
export function memoryError(error: unknown): unknown {
  const said = error instanceof Error ? SAID.exec(error.message)?.[0] : undefined
  if (said === undefined || error instanceof KithError) return error
  const problem = `a batch does not fit into memory (${said.trim()}): lower the batch size, with gradient accumulation for it, or the list size`
  return new KithError('OUT_OF_MEMORY', problem)
}
