/** What kind of mistake a `KithError` reports. */
export type KithErrorCode =
  /** A number in a vector is NaN or infinite, or too large for float32 inner products. */
  | 'BAD_VECTOR'
  /** Lengths or counts do not fit each other. */
  | 'BAD_SHAPE'
  /** A setting is unknown or out of its range. */
  | 'BAD_SETTING'
  /** An argument is not of a form that the function takes. */
  | 'BAD_INPUT'
  /** The context does not fit into memory. */
  | 'OUT_OF_MEMORY'

/** An error that the caller can do something about: its message says what was wrong and where. */
export class KithError extends Error {
  override readonly name = 'KithError'

  constructor(
    readonly code: KithErrorCode,
    message: string,
  ) {
    super(`kith: ${message}`)
  }
}
