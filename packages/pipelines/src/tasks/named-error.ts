import { KithError } from '@kith/core'
import type { QueryTask } from './job.ts'

/** Errors of the core do not name the query of a context; this adds its id to the message. */
export function namedError(error: unknown, { query }: QueryTask): unknown {
  if (!(error instanceof KithError)) return error
  return new KithError(error.code, `query ${query}: ${error.message}`)
}
