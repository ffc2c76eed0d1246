import { KithError } from '@kith/core'

/** Processes one task at a time, in the main thread or in a worker. */
export interface Job<Task, Answer> {
  run(task: Task): Answer
}

/** Adds the query's id to the message of an error of the core, which does not know the query. */
export function namedError(error: unknown, { query }: { query: string }): unknown {
  if (!(error instanceof KithError)) return error
  return new KithError(error.code, `query ${query}: ${error.message}`)
}
