import type { ErrorParts } from './error-parts.ts'

/** A message to a worker: a request, which it answers once and in its turn, or the request to end. */
export type ToWorker<Request> = { request: Request } | 'close'

/** A worker's answer to a request, or the error of the request. */
export type FromWorker<Answer> = { answer: Answer } | { error: ErrorParts }

/** The data that a worker thread starts with. */
export interface ThreadData<Data> {
  data: Data
  /** Not 0 once the thread is to end: requests that it has not begun are dropped. */
  stop: Int32Array
}
