import { KithError } from '@kith/core'

/** A worker ended by itself and left work undone. `cause` is the error that ended it, if there was one. */
export class WorkerDied extends KithError {
  constructor(message: string, options?: ErrorOptions) {
    super('WORKER_DIED', message, options)
  }
}

/** How a worker ended. */
export interface Death {
  /** Exit code, or the name of a signal; undefined while only the error is known. */
  exit?: number | string | undefined
  /** An error that was thrown outside of a request. */
  error?: Error | undefined
  /** Whether memory ran out, or may well have. */
  memory?: boolean
}

/**
 * The error of the requests that a dead worker has not answered.
 *
 * @param job The worker's name in messages, such as `a search worker`.
 * @param advice The advice in the message if memory ran out.
 */
export function deathError(job: string, advice: string, { exit, error, memory }: Death): KithError {
  const options = error && { cause: error }
  if (memory) {
    const how = exit === undefined ? 'ran out of memory' : `ended (${exit})`
    return new KithError('OUT_OF_MEMORY', `${job} ${how}; ${advice}`, options)
  }
  if (error) return new WorkerDied(`${job} was ended by an error: ${error.message}`, options)
  const how = typeof exit === 'number' ? `with exit code ${exit}` : `by ${exit}`
  return new WorkerDied(`${job} ended ${how} before its work was done`)
}
