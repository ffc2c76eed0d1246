import { KithError } from './error.ts'

/** Throws `ABORTED` once a signal is aborted; the signal's reason is the error's `cause`. */
export function throwIfAborted(signal: Aborting | undefined): void {
  if (signal?.aborted) throw abortedError(signal)
}

/** The error of work that a signal has ended. */
export function abortedError({ reason }: Aborting): KithError {
  const said = reason instanceof Error && reason.name !== 'AbortError' ? `: ${reason.message}` : ''
  return new KithError('ABORTED', `the work was stopped${said}`, { cause: reason })
}

/** The used part of an `AbortSignal`, so that the types of this package do not need the DOM's. */
interface Aborting {
  readonly aborted: boolean
  readonly reason: unknown
}
