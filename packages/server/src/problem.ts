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

/** The form of errors in a protocol. */
export type ErrorShape = (status: number, message: string) => object

/** Cohere reads `message`, Jina `detail`; their rerank requests come to the same address. */
export const cohereError: ErrorShape = (_, message) => ({ message, detail: message })

/** text-embeddings-inference. */
export const teiError: ErrorShape = (status, message) => ({
  error: message,
  error_type:
    status === 429 || status === 503 ? 'Overloaded' : status >= 500 ? 'Backend' : 'Validation',
})

/** OpenAI. */
export const openAiError: ErrorShape = (status, message) => ({
  error: { message, type: typeOf(status), param: null, code: codes[status] ?? null },
})

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'not_found',
  429: 'rate_limit_exceeded',
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error'
  if (status === 401) return 'authentication_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
