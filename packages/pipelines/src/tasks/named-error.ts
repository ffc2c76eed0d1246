import { KithError } from '@kith/core'
import type { QueryTask } from './job.ts'

/** The core does not know whose context it sees; the message must say it. */
export function namedError(error: unknown, { query }: QueryTask): unknown {
  if (!(error instanceof KithError)) return error
  return new KithError(error.code, `query ${query}: ${error.message}`)
}
