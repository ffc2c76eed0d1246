import type { ErrorParts } from './error-parts.ts'

/** What a worker is sent: a request, which it answers once and in its turn, or the request to end. */
export type ToWorker<Request> = { request: Request } | 'close'

/** What a worker sends back. */
export type FromWorker<Answer> = { answer: Answer } | { error: ErrorParts }

/** What a worker thread is started with. */
export interface ThreadData<Data> {
  data: Data
  /** Not 0 once the thread is to end: requests that it has not begun are dropped. */
  stop: Int32Array
}
