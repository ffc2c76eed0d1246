import { KithError } from '@kith/core'

/** Work on one task at a time, in the main thread or in a worker. */
export interface Job<Task, Answer> {
  run(task: Task): Answer
  close(): Promise<void>
}

/** Errors of the core do not name the query of a context; this adds its id to the message. */
export function namedError(error: unknown, { query }: { query: string }): unknown {
  if (!(error instanceof KithError)) return error
  return new KithError(error.code, `query ${query}: ${error.message}`)
}
