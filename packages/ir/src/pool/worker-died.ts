import { KithError } from '@kith/core'

/** A worker that ended by itself, with work that it has not done. `cause` is what it threw, if anything. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied'
}

/** How a worker ended. */
export interface Death {
  /** Exit code, or the name of a signal; undefined while only the error is known. */
  exit?: number | string | undefined
  /** What was thrown outside of a request. */
  error?: Error | undefined
  /** Whether memory ran out, or may well have. */
  memory?: boolean
}

/**
 * The error of the requests that a dead worker has not answered.
 *
 * @param job What the worker was, such as `a search worker`.
 * @param advice What to do where memory ran out.
 */
export function deathError(job: string, advice: string, { exit, error, memory }: Death): Error {
  if (memory) {
    const how = exit === undefined ? 'ran out of memory' : `ended (${exit})`
    return withCause(new KithError('OUT_OF_MEMORY', `${job} ${how}; ${advice}`), error)
  }
  if (error)
    return withCause(new WorkerDied(`${job} was ended by an error: ${error.message}`), error)
  const how = typeof exit === 'number' ? `with exit code ${exit}` : `by ${exit}`
  return new WorkerDied(`${job} ended ${how} before its work was done`)
}

function withCause(error: Error, cause: Error | undefined): Error {
  if (cause) error.cause = cause
  return error
}
