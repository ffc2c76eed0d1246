import type { KithErrorCode } from '@kith/core'

/**
 * The error of a scanner: code and message of a `KithError`, which the search makes of it.
 * Scanners also run in worker threads, and a thread that loaded @kith/core for its error class
 * would take almost twice as long to start.
 */
export class ScanError extends Error {
  /** Makes the pool of workers turn it into a `KithError` on its way out of a thread. */
  override readonly name = 'KithError'

  constructor(
    readonly code: KithErrorCode,
    message: string,
  ) {
    super(message)
  }
}
