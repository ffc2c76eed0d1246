/**
 * A message to a worker: first its data, then requests, which it answers once and in their turn; or
 * the request to end.
 */
export type ToWorker<Data, Request> = { data: Data } | { request: Request } | 'close'

/** A worker's answer to a request, or the error of the request. */
export type FromWorker<Answer> = { answer: Answer } | { error: ErrorParts }

/** The start data of a worker thread. */
export interface ThreadStart {
  /** The name of the work, for loading its modules before the data come. */
  work: string | undefined
  /** Not 0 once the thread is to end: requests that it has not begun are dropped. */
  stop: Int32Array
}

/** An error as plain data: structured cloning keeps neither an error's class nor its fields. */
export interface ErrorParts {
  name: string
  message: string
  stack: string | undefined
  /**
   * The error's fields of plain values, such as the `code` of a system error or of a database's.
   */
  fields: Record<string, Plain>
  cause: ErrorParts | undefined
}

type Plain = string | number | boolean

/** The parts of anything that was thrown. This file loads nothing, since worker threads start with it. */
export function partsOf(thrown: unknown): ErrorParts {
  if (!isError(thrown)) {
    return {
      name: 'Error',
      message: String(thrown),
      stack: undefined,
      fields: {},
      cause: undefined,
    }
  }
  const { name, message, stack, cause } = thrown
  const fields = Object.entries(thrown).filter(([key, value]) => !own.has(key) && isPlain(value))
  return {
    ...{ name, message, stack, fields: Object.fromEntries(fields) },
    cause: cause === undefined ? undefined : partsOf(cause),
  }
}

/** Fields that travel by themselves. */
const own = new Set(['name', 'message', 'stack', 'cause'])

/** Also errors of another realm, which are no instances of this one's `Error`. */
function isError(thrown: unknown): thrown is Error {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown && 'name' in thrown
}

function isPlain(value: unknown): value is Plain {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
