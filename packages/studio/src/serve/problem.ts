/** What a request is answered instead of a result: a status, and a sentence that says what to do. */
export class Problem extends Error {
  override readonly name = 'Problem'

  constructor(
    readonly status: number,
    message: string,
    /** Headers that belong to the answer, such as Retry-After. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** What the server's log is told, and the client is not. */
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** There is too much to do at the moment; the client is told when to come again. */
export function overloaded(message: string): Problem {
  return new Problem(429, message, { 'retry-after': '1' })
}

/** Something that the server needs is not there at the moment. */
export function unavailable(message: string, cause?: unknown): Problem {
  return new Problem(503, message, { 'retry-after': '1' }, cause)
}
