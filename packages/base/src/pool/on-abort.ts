const listening = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls a function once a signal is aborted. However many wait for a signal, it gets one listener:
 * Node warns of a leak from eleven on.
 *
 * @returns Ends the wait.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const known = listening.get(signal)
  const calls = known ?? new Set()
  calls.add(call)
  const listener = (): void => {
    for (const one of [...calls]) one()
  }
  if (!known) {
    listening.set(signal, calls)
    signal.addEventListener('abort', listener, { once: true })
  }
  return () => calls.delete(call)
}
