/** The answer to a request that has no result: a status, and a sentence that says what to do. */
export class Problem extends Error {
  override readonly name = 'Problem'

  constructor(
    readonly status: number,
    message: string,
    /** Headers that belong to the answer, such as Retry-After. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The reason for the server's log, which the client does not get. */
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** The server has too much to do at the moment; the answer says when to try again. */
export function overloaded(message: string): Problem {
  return new Problem(429, message, { 'retry-after': '1' })
}

/** Something that the server needs is not there at the moment. */
export function unavailable(message: string, cause?: unknown): Problem {
  return new Problem(503, message, { 'retry-after': '1' }, cause)
}
