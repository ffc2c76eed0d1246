/** Work on one query at a time, in whatever thread it lives. */
export interface Job<Task, Answer> {
  run(task: Task): Answer
  close(): Promise<void>
}

/** Every task says whose it is, for messages. */
export interface QueryTask {
  query: string
}
