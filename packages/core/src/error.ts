/** The kind of mistake that a `KithError` reports. */
export type KithErrorCode =
  /** A number in a vector is NaN or infinite, or too large for float32 inner products. */
  | 'BAD_VECTOR'
  /** Lengths or counts do not fit each other. */
  | 'BAD_SHAPE'
  /** A setting is unknown or out of its range. */
  | 'BAD_SETTING'
  /** An argument is not of a form that the function takes. */
  | 'BAD_INPUT'
  /** A file cannot be read or written, or does not hold what it should: correct the file or its name. */
  | 'BAD_FILE'
  /** The work does not fit into memory: make it smaller. */
  | 'OUT_OF_MEMORY'
  /** The caller's `AbortSignal` ended the work; its reason is the error's `cause`. Nothing is wrong. */
  | 'ABORTED'
  /** Something was used after its `close()`: open it again. */
  | 'CLOSED'
  /** A worker thread or process ended before its work was done; its error is the `cause`. Try again. */
  | 'WORKER_DIED'
  /** A training's loss or weights are no longer finite: train with a lower learning rate. */
  | 'DIVERGED'

/**
 * An error that the caller can do something about: the message says what is wrong and where, `code`
 * names the kind of error.
 *
 * ```ts
 * if (error instanceof KithError && error.code === 'BAD_SHAPE') console.log(error.message)
 * ```
 */
export class KithError extends Error {
  override readonly name = 'KithError'

  constructor(
    readonly code: KithErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
