/** Work on one query at a time, in the main thread or in a worker. */
export interface Job<Task, Answer> {
  run(task: Task): Answer
  close(): Promise<void>
}

/** Every task names its query, for messages. */
export interface QueryTask {
  query: string
}
