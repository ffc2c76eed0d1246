import { KithError, type KithErrorCode } from '@kith/core'
import type { ErrorParts } from './error-parts.ts'

/**
 * The error that a worker has thrown, made again in the caller's thread. Errors of the library are
 * `KithError`s again, with their fields; others keep their name, fields and the worker's stack.
 */
export function errorFromParts({ name, message, stack, fields, cause }: ErrorParts): Error {
  const error =
    name === 'KithError'
      ? Object.assign(
          new KithError(fields['code'] as KithErrorCode, message.replace(/^kith: /, '')),
          fields,
        )
      : Object.assign(new Error(message), { ...fields, name })
  if (stack !== undefined && name !== 'KithError') error.stack = stack
  if (cause) error.cause = errorFromParts(cause)
  return error
}
